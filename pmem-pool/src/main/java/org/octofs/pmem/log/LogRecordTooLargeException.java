package org.octofs.pmem.log;

/** A record under construction went over a limit of its log. The record is spoiled; nothing was written. */
public final class LogRecordTooLargeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    LogRecordTooLargeException(String what, long wanted, long limit) {
        super(what + " of a log record: " + wanted + " wanted, the limit of this log is " + limit);
    }
}
