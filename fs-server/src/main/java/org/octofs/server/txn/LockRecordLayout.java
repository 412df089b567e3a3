package org.octofs.server.txn;

/**
 * A participant's lock record in the LOCK_TABLE zone. Little-endian, 128 bytes, 64-byte aligned; free when the lock word is
 * 0. Set and cleared inside the participant's redo-log records only, but for the release word, which the coordinator writes
 * one-sidedly.
 *
 * <pre>
 *  0         8             16       20     24          24 + i * 16
 *  +---------+-------------+--------+------+-----------+-----------------------------+----------+
 *  |lock word|release word |checksum|count | ...       | object i: slot word, ino    | zero     |
 *  +---------+-------------+--------+------+-----------+-----------------------------+----------+
 * </pre>
 */
public final class LockRecordLayout {
    /** u64, the owner: a {@link TransactionId}; 0 = free. */
    public static final int LOCK_WORD_OFFSET = 0;

    /** u64, 0 until released; see {@link ReleaseWord}. One aligned store; outside the checksum. */
    public static final int RELEASE_WORD_OFFSET = LOCK_WORD_OFFSET + Long.BYTES;

    /** u32, CRC32C of the whole record with checksum and release word as zeros. */
    public static final int CHECKSUM_OFFSET = RELEASE_WORD_OFFSET + Long.BYTES;

    /** u32, objects. */
    public static final int COUNT_OFFSET = CHECKSUM_OFFSET + Integer.BYTES;

    /** The first object. */
    public static final int OBJECTS_OFFSET = COUNT_OFFSET + Integer.BYTES;

    /** Within an object: u64, {pool offset of the slot | kind in the low four bits}. Slots are multiples of 16. */
    public static final int OBJECT_SLOT_OFFSET = 0;

    /** Within an object: u64, inode number; of a dentry that of its directory. */
    public static final int OBJECT_INO_OFFSET = OBJECT_SLOT_OFFSET + Long.BYTES;

    /** Bytes of an object. */
    public static final int OBJECT_BYTES = OBJECT_INO_OFFSET + Long.BYTES;

    /** Most objects of a record: a directory, its entry, the inode moved, the inode replaced, and the rename mutex. */
    public static final int OBJECTS_MAX = 6;

    /** Bytes of a record. */
    public static final int SIZE_BYTES = 128;

    /** Kind: an inode that existed before. */
    public static final int INODE = 1;

    /** Kind: a slot taken for an inode that will exist if the transaction commits. */
    public static final int NEW_INODE = 2;

    /** Kind: a dentry that existed before. */
    public static final int DENTRY = 3;

    /** Kind: a slot taken for a dentry that will exist if the transaction commits. */
    public static final int NEW_DENTRY = 4;

    /** Kind: a number only, no slot. */
    public static final int TOKEN = 5;

    /** The kind of an object in its slot word. */
    public static final long KIND_MASK = 15;

    private LockRecordLayout() {}
}
