package org.octofs.server.ops;

import java.util.EnumMap;
import java.util.Map;
import org.octofs.rpc.protocol.Errno;

/**
 * An expected outcome that is not success. One object per errno for all time, with no stack trace and no message: these
 * are answers, not faults.
 */
public final class OperationException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final Map<Errno, OperationException> ALL = all();

    private final Errno errno;

    private OperationException(Errno errno) {
        super(errno.name(), null, false, false);
        this.errno = errno;
    }

    /** The exception for an errno; throw it. */
    public static OperationException of(Errno errno) {
        return ALL.get(errno);
    }

    /** Throws unless {@code errno} is OK. */
    public static void check(Errno errno) {
        if (errno != Errno.OK) {
            throw of(errno);
        }
    }

    public Errno errno() {
        return errno;
    }

    private static Map<Errno, OperationException> all() {
        Map<Errno, OperationException> map = new EnumMap<>(Errno.class);
        for (Errno errno : Errno.values()) {
            map.put(errno, new OperationException(errno));
        }
        return map;
    }
}
