package org.octofs.client.client;

import java.io.IOException;
import org.octofs.rpc.protocol.Errno;

/**
 * An operation was answered with an errno, or could not be carried out within its deadline (then {@link Errno#EIO} or
 * {@link Errno#ETIMEDOUT}, with words and a cause). Carries no stack trace of its own: most are expected answers.
 */
public final class FsException extends IOException {
    private static final long serialVersionUID = 1L;

    private final Errno errno;

    /** An expected answer. */
    public FsException(Errno errno) {
        this(errno, errno.name());
    }

    /** With words for the user. */
    public FsException(Errno errno, String message) {
        this(errno, message, null);
    }

    /** With words for the user, and what led to it. */
    public FsException(Errno errno, String message, Throwable cause) {
        super(message, cause);
        this.errno = errno;
    }

    /** The outcome; never OK, and always one that means something to an application. */
    public Errno errno() {
        return errno;
    }

    /** Whether the same call may succeed a little later. */
    public boolean isRetryable() {
        return errno.isRetryable() || errno == Errno.EAGAIN;
    }

    /** Omitted: an errno is an answer, and lookups of absent names are frequent. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
