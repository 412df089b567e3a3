package org.octofs.rpc.fabric.host;

import java.io.IOException;
import java.io.Serial;

/** The operating system refused memory, a mapping or a descriptor. The message is meant for the user. */
public final class HostException extends IOException {
    @Serial
    private static final long serialVersionUID = 1L;

    /** A refusal in words. */
    public HostException(String message) {
        super(message);
    }

    /** A refusal in words, and what the system said. */
    public HostException(String message, Throwable cause) {
        super(message, cause);
    }
}
