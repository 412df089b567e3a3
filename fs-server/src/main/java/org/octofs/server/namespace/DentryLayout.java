package org.octofs.server.namespace;

/**
 * A directory entry on media. Little-endian, 8-byte aligned, in slots of 128 bytes (names up to {@link #SMALL_NAME_BYTES})
 * or 336 bytes. Changed only inside a redo-log record; free when the magic word is 0.
 *
 * <pre>
 *  0        4      8        16       24      32     36          38          40
 *  +--------+------+--------+--------+-------+------+-----------+-----------+---------+
 *  |checksum|magic | parent | cookie | child | type |name length| partition | name ... |
 *  +--------+------+--------+--------+-------+------+-----------+-----------+---------+
 * </pre>
 */
public final class DentryLayout {
    /** u32, CRC32C of [MAGIC, NAME + name length). */
    public static final int CHECKSUM_OFFSET = 0;

    /** u32, {@link #MAGIC}; 0 = free slot. Shares an aligned word with the checksum. */
    public static final int MAGIC_OFFSET = CHECKSUM_OFFSET + Integer.BYTES;

    /** u64, inode number of the directory. */
    public static final int PARENT_OFFSET = MAGIC_OFFSET + Integer.BYTES;

    /** u64, place in the directory's listing; grows with every new entry, never 0. */
    public static final int COOKIE_OFFSET = PARENT_OFFSET + Long.BYTES;

    /** u64, inode number that the name stands for. */
    public static final int CHILD_OFFSET = COOKIE_OFFSET + Long.BYTES;

    /** u32, S_IFMT bits of the child's mode. */
    public static final int TYPE_OFFSET = CHILD_OFFSET + Long.BYTES;

    /** u16, bytes of the name, 1 to 255. */
    public static final int NAME_LENGTH_OFFSET = TYPE_OFFSET + Integer.BYTES;

    /** u16, part of a directory that is spread over shards; 0. */
    public static final int PARTITION_OFFSET = NAME_LENGTH_OFFSET + Short.BYTES;

    /** The name's bytes. */
    public static final int NAME_OFFSET = PARTITION_OFFSET + Short.BYTES;

    /** "DENT" as stored. */
    public static final int MAGIC = 0x544E4544;

    /** Bytes of a small slot. */
    public static final int SMALL_SLOT_BYTES = 128;

    /** Bytes of a large slot. */
    public static final int LARGE_SLOT_BYTES = 336;

    /** Longest name in a small slot. */
    public static final int SMALL_NAME_BYTES = SMALL_SLOT_BYTES - NAME_OFFSET;

    /** Longest name there is. */
    public static final int NAME_BYTES_MAX = 255;

    /** First cookie; 1 and 2 are left to "." and "..". */
    public static final long FIRST_COOKIE = 3;

    private DentryLayout() {}
}
