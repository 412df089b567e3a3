package org.octofs.server.txn;

/** Something is held by another transaction, or cannot be reached now: give everything back and try again. No stack trace. */
final class BusyException extends RuntimeException {
    /** The one object. */
    @SuppressWarnings("StaticAssignmentOfThrowable") // no stack trace, no state
    static final BusyException INSTANCE = new BusyException();

    private static final long serialVersionUID = 1L;

    private BusyException() {
        super("busy", null, false, false);
    }
}
