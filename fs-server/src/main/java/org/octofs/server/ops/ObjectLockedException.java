package org.octofs.server.ops;

/**
 * The operation needs an object that a transaction over several servers holds. The dispatcher puts the request aside and
 * runs it again, from its beginning, once the object is free. One object, no stack trace.
 */
public final class ObjectLockedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The one object. */
    @SuppressWarnings("StaticAssignmentOfThrowable") // it has no stack trace that could mislead
    public static final ObjectLockedException INSTANCE = new ObjectLockedException();

    private ObjectLockedException() {
        super("locked by a transaction", null, false, false);
    }
}
