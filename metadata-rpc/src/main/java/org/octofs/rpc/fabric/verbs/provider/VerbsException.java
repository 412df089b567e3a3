package org.octofs.rpc.fabric.verbs.provider;

import java.io.IOException;
import java.io.Serial;

/** A call of the native libraries failed. */
public final class VerbsException extends IOException {
    @Serial
    private static final long serialVersionUID = 1L;

    /** Operation not supported: what registering pages of a DAX file system answers. */
    public static final int EOPNOTSUPP = 95;

    /** Out of memory, of the card's resources, or over the limit of locked memory. */
    public static final int ENOMEM = 12;

    private final int errno;

    VerbsException(String function, int errno) {
        super(function + ": " + Calls.describe(errno) + " (errno " + errno + ")");
        this.errno = errno;
    }

    /** What the system said. */
    public int errno() {
        return errno;
    }
}
