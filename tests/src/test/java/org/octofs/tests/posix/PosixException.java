package org.octofs.tests.posix;

import org.octofs.rpc.protocol.Errno;

/** A call failed; no stack trace, it is an expected answer. */
public final class PosixException extends Exception {
    private static final long serialVersionUID = 1;

    private final int number;

    /** With an errno's number. */
    public PosixException(int number) {
        super(name(number), null, false, false);
        this.number = number;
    }

    /** With an errno. */
    public PosixException(Errno errno) {
        this(errno.value);
    }

    /** The errno's number. */
    public int number() {
        return number;
    }

    private static String name(int number) {
        for (Errno errno : Errno.values()) {
            if (errno.value == number) {
                return errno.name();
            }
        }
        return "errno " + number;
    }
}
