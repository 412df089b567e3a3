package org.octofs.pmem;

import java.io.IOException;

/** Another process (or another part of this one) has the pool open. Nothing was changed. */
public final class PoolBusyException extends IOException {
    private static final long serialVersionUID = 1L;

    /** @param message names the pool and, where known, the process that holds it */
    public PoolBusyException(String message) {
        super(message);
    }
}
