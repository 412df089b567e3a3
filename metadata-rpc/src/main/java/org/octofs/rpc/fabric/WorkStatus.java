package org.octofs.rpc.fabric;

/** Where a work request stands. */
public enum WorkStatus {
    /** Filled in or fresh, not posted. */
    IDLE,
    /** Posted; the request and its memory belong to the fabric. */
    PENDING,
    /** Done: READ data has arrived, WRITE data is visible at the peer. */
    SUCCESS,
    /** The peer does not grant the region, its rkey is of an old generation, or the access is not allowed. */
    REMOTE_ACCESS_ERROR,
    /** The range is not inside the peer's region. */
    REMOTE_BOUNDS_ERROR,
    /** The connection failed before the outcome was known. */
    CONNECTION_FAILED;

    /** True when the request is the caller's again. */
    public boolean isDone() {
        return this != IDLE && this != PENDING;
    }
}
