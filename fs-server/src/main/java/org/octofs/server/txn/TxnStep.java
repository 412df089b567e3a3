package org.octofs.server.txn;

/** The steps of a transaction between which a server can end. Order as they come when nothing goes wrong. */
public enum TxnStep {
    /** Coordinator: local objects are locked, nothing was sent. */
    PLANNED,
    /** Participant: objects are checked, nothing is durable. */
    COLLECT_CHECKED,
    /** Participant: the lock record is durable, nobody knows. */
    LOCK_DURABLE,
    /** Participant: locked, answered. */
    COLLECT_ANSWERED,
    /** Coordinator: one answer has come. */
    COLLECTED,
    /** Coordinator: everything is known, the outcome is computed and staged. */
    STAGED,
    /** Coordinator: committed: the record is durable and applied here. */
    COMMITTED,
    /** Coordinator: the client has been answered. */
    ANSWERED,
    /** Coordinator: images and release words have been posted. */
    DISPATCHED,
    /** Coordinator: decided to give up, nothing released yet. */
    ABORTING,
    /** Coordinator: abort words have been posted. */
    ABORT_DISPATCHED,
    /** Participant: has seen a release. */
    RELEASE_SEEN,
    /** Participant: the images are durable and the lock record is clear, DRAM does not know yet. */
    IMAGES_DURABLE,
    /** Participant: done. */
    RELEASED,
    /** Coordinator: all participants are done; the record is about to be dropped. */
    CONFIRMED,
    /** Coordinator: the record may go. */
    RECORD_RELEASED
}
