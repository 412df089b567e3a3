package org.octofs.client.link;

import org.octofs.client.client.FsException;
import org.octofs.rpc.protocol.Errno;

/** Turns statuses of replies into exceptions; the one place that decides what is tried again. */
public final class Statuses {
    private Statuses() {}

    /** Whether the same request may be sent again in a moment: the object is locked, the server is starting. */
    public static boolean isTransient(int status) {
        return switch (Errno.of(status)) {
            case ENOT_READY, ELOCKED, ESTALE_EPOCH, EBUSY -> true;
            default -> false;
        };
    }

    /** The exception of a status other than 0. */
    public static FsException exception(int status, String what) {
        Errno errno = Errno.of(status);
        if (errno.isForApplications()) {
            return new FsException(errno);
        }
        Errno forApplications = switch (errno) {
            case ECONFLICT -> Errno.EAGAIN;
            // Who is the home follows from the number alone, so this is a number that no inode can have.
            case ENOT_HOME -> Errno.ESTALE;
            default -> Errno.EIO;
        };
        return new FsException(forApplications, what + " was answered " + errno.name());
    }
}
