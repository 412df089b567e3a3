package org.octofs.server.store;

/** Types of redo-log records. All of them are replayed the same way; the type says what one is looking at. */
public final class RecordType {
    /** A free page gets slots, or loses them. */
    public static final int PAGE = 1;

    /** Inodes and dentries of this server only. */
    public static final int NAMESPACE = 2;

    /** Data made part of a file. */
    public static final int COMMIT = 3;

    /** Blocks lent or returned. */
    public static final int RESERVATION = 4;

    /** Ownership of segments. */
    public static final int SEGMENT = 5;

    /** A session began or ended. */
    public static final int SESSION = 6;

    /** A transaction over several homes, at its coordinator; carries the participants' images. */
    public static final int DISTRIBUTED = 7;

    /** A participant's lock record, set or cleared. */
    public static final int LOCK = 8;

    /** Blocks or pages of an unlinked file given back. */
    public static final int RECLAIM = 9;

    private RecordType() {}
}
