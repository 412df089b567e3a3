package org.octofs.rpc.protocol;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * An inode: on media (METADATA zone), on the wire, and as clients read it one-sidedly. Little-endian, 256 bytes,
 * 256-byte aligned on media.
 *
 * <pre>
 *   0 version  8 checksum 12 magic  16 ino  24 bodyVersion  32 mode 36 nlink 40 uid 44 gid  48 rdev  56 size
 *  64 blocks  72 atime  80 mtime  88 ctime  96 atimeNsec 100 mtimeNsec 104 ctimeNsec 108 flags  112 btime
 * 120 btimeNsec 124 mapHeight  128 mapRoot  136 xattrRoot  144 parent  152 entryCount  160..256 inline
 * </pre>
 *
 * The writer stores an odd version word, then the body, then the new even version word (a sequence lock), so that a
 * reader whose version word is even and equal to the body version, with a right checksum, has a consistent image. The
 * body version is inside the checksum, since the words of one READ need not be of one moment.
 */
public final class InodeLayout {
    /** u64, version word: even = stable; bit 0 = locked or being changed. Aligned 8-byte store, outside the checksum, never goes back for a slot. */
    public static final int VERSION_OFFSET = 0;

    /** u32, CRC32C of [MAGIC+4, SIZE). */
    public static final int CHECKSUM_OFFSET = VERSION_OFFSET + Long.BYTES;

    /** u32, {@link #MAGIC}; 0 = free slot. */
    public static final int MAGIC_OFFSET = CHECKSUM_OFFSET + Integer.BYTES;

    /** u64, inode number. */
    public static final int INO_OFFSET = MAGIC_OFFSET + Integer.BYTES;

    /** u64, equals the version word in a consistent image. */
    public static final int BODY_VERSION_OFFSET = INO_OFFSET + Long.BYTES;

    /** u32, type and permissions as in stat(2). */
    public static final int MODE_OFFSET = BODY_VERSION_OFFSET + Long.BYTES;

    /** u32, links; 0 = unlinked while open. */
    public static final int NLINK_OFFSET = MODE_OFFSET + Integer.BYTES;

    /** u32, owner. */
    public static final int UID_OFFSET = NLINK_OFFSET + Integer.BYTES;

    /** u32, group. */
    public static final int GID_OFFSET = UID_OFFSET + Integer.BYTES;

    /** u64, device number of special files. */
    public static final int RDEV_OFFSET = GID_OFFSET + Integer.BYTES;

    /** i64, file size; of a symlink its length. */
    public static final int SIZE_BYTES_OFFSET = RDEV_OFFSET + Long.BYTES;

    /** u64, 4 KiB blocks allocated. */
    public static final int BLOCKS_OFFSET = SIZE_BYTES_OFFSET + Long.BYTES;

    /** i64, seconds. */
    public static final int ATIME_SEC_OFFSET = BLOCKS_OFFSET + Long.BYTES;

    /** i64, seconds. */
    public static final int MTIME_SEC_OFFSET = ATIME_SEC_OFFSET + Long.BYTES;

    /** i64, seconds. */
    public static final int CTIME_SEC_OFFSET = MTIME_SEC_OFFSET + Long.BYTES;

    /** u32, nanoseconds. */
    public static final int ATIME_NSEC_OFFSET = CTIME_SEC_OFFSET + Long.BYTES;

    /** u32, nanoseconds. */
    public static final int MTIME_NSEC_OFFSET = ATIME_NSEC_OFFSET + Integer.BYTES;

    /** u32, nanoseconds. */
    public static final int CTIME_NSEC_OFFSET = MTIME_NSEC_OFFSET + Integer.BYTES;

    /** u32, bits FLAG_*. */
    public static final int FLAGS_OFFSET = CTIME_NSEC_OFFSET + Integer.BYTES;

    /** i64, seconds. */
    public static final int BTIME_SEC_OFFSET = FLAGS_OFFSET + Integer.BYTES;

    /** u32, nanoseconds. */
    public static final int BTIME_NSEC_OFFSET = BTIME_SEC_OFFSET + Long.BYTES;

    /** u32, 0 = inline entries only, 1 = MAP_ROOT is a leaf, n = a tree of n levels. */
    public static final int MAP_HEIGHT_OFFSET = BTIME_NSEC_OFFSET + Integer.BYTES;

    /** u64, pool offset of the block map's root page at the home, 0 = none. */
    public static final int MAP_ROOT_OFFSET = MAP_HEIGHT_OFFSET + Integer.BYTES;

    /** u64, pool offset of the extended attributes, 0 = none. */
    public static final int XATTR_ROOT_OFFSET = MAP_ROOT_OFFSET + Long.BYTES;

    /** u64, directories: inode number of the parent; else 0. */
    public static final int PARENT_OFFSET = XATTR_ROOT_OFFSET + Long.BYTES;

    /** u64, directories: entries without . and ... */
    public static final int ENTRY_COUNT_OFFSET = PARENT_OFFSET + Long.BYTES;

    /** 96 bytes: six {@link BlockEntryLayout} while the map height is 0, or a short symlink's target. */
    public static final int INLINE_OFFSET = ENTRY_COUNT_OFFSET + Long.BYTES;

    /** Bytes of the inline area. */
    public static final int INLINE_BYTES = 96;

    /** Block entries that fit the inline area: file blocks 0 to 5. */
    public static final int INLINE_ENTRIES = INLINE_BYTES / BlockEntryLayout.SIZE_BYTES;

    /** Bytes of an inode. */
    public static final int SIZE_BYTES = INLINE_OFFSET + INLINE_BYTES;

    /** First byte that the checksum covers. */
    public static final int CHECKED_FROM = MAGIC_OFFSET + Integer.BYTES;

    /** "INOD" as stored. */
    public static final int MAGIC = 0x444F4E49;

    /** In FLAGS: extended attributes exist. */
    public static final int FLAG_XATTRS = 1;

    /** In FLAGS: the symlink's target is in the inline area. */
    public static final int FLAG_INLINE_TARGET = 2;

    /** In FLAGS: made without a name (O_TMPFILE), and may get one. */
    public static final int FLAG_LINKABLE = 4;

    /** Bit 0 of the version word. */
    public static final long VERSION_LOCKED = 1L;

    /** No slot is changed so often; a larger version, or a negative one, is damage. */
    public static final long VERSION_LIMIT = 1L << 62;

    /** What follows on a damaged version: more than any that was true. */
    private static final long VERSION_AFTER_DAMAGE = 1L << 48;

    private InodeLayout() {}

    /** Whether a version can be true. */
    public static boolean isPlausible(long version) {
        return version >= 0 && version < VERSION_LIMIT;
    }

    /** The version that a change makes of another. Versions of a slot never go back, over all inodes that it holds in turn. */
    public static long nextVersion(long version) {
        return isPlausible(version) ? (version & ~VERSION_LOCKED) + 2 : VERSION_AFTER_DAMAGE;
    }

    /** The checksum that the image at {@code offset} should carry. {@code segment} must be native or byte-backed. */
    public static int checksum(MemorySegment segment, long offset) {
        CRC32C crc = new CRC32C();
        ByteBuffer body = segment.asSlice(offset + CHECKED_FROM, SIZE_BYTES - CHECKED_FROM)
                .asByteBuffer();
        crc.update(body.order(ByteOrder.LITTLE_ENDIAN));
        return (int) crc.getValue();
    }

    /** Whether a copied image is consistent: magic, even version equal to the body version, checksum. */
    public static boolean isConsistent(MemorySegment segment, long offset) {
        long version = segment.get(LONG, offset + VERSION_OFFSET);
        return (version & VERSION_LOCKED) == 0
                && segment.get(INT, offset + MAGIC_OFFSET) == MAGIC
                && segment.get(LONG, offset + BODY_VERSION_OFFSET) == version
                && segment.get(INT, offset + CHECKSUM_OFFSET) == checksum(segment, offset);
    }

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
}
