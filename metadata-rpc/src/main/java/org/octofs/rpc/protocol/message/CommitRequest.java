package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * COMMIT: makes pushed data part of a file, changes its size, punches holes; atomic and durable. Extents of {u64 fileBlock, u64 location (0 = hole), u64 expectedLocation, u32 blockCount, u32 flags (bit 0: merged, expectedLocation must still be mapped there, blockCount 1; bit 1: unwritten)}, then one u32 CRC32C per block of each extent with a location (none for holes), in order.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class CommitRequest {
    /** u64, inode number. */
    public static final int INO_OFFSET = 0;

    /** u64, version that the client's view came from; counts with IF_UNCHANGED. */
    public static final int BASE_VERSION_OFFSET = INO_OFFSET + Long.BYTES;

    /** u64, end of the written range, or the new size with SET_SIZE. */
    public static final int SIZE_BYTES_OFFSET = BASE_VERSION_OFFSET + Long.BYTES;

    /** u64, with APPEND: the size that must still hold. */
    public static final int EXPECTED_SIZE_BYTES_OFFSET = SIZE_BYTES_OFFSET + Long.BYTES;

    /** i64, seconds. */
    public static final int MTIME_SEC_OFFSET = EXPECTED_SIZE_BYTES_OFFSET + Long.BYTES;

    /** u32, nanoseconds. */
    public static final int MTIME_NSEC_OFFSET = MTIME_SEC_OFFSET + Long.BYTES;

    /** u32, bits of CommitFlags. */
    public static final int FLAGS_OFFSET = MTIME_NSEC_OFFSET + Integer.BYTES;

    /** u32, blocks to lend with the answer, 0 for none. */
    public static final int WANT_BLOCKS_OFFSET = FLAGS_OFFSET + Integer.BYTES;

    /** u32, zero. */
    public static final int RESERVED_OFFSET = WANT_BLOCKS_OFFSET + Integer.BYTES;

    /** u32, elements of extents. */
    public static final int EXTENTS_COUNT_OFFSET = RESERVED_OFFSET + Integer.BYTES;

    /** u32, elements of checksums. */
    public static final int CHECKSUMS_COUNT_OFFSET = EXTENTS_COUNT_OFFSET + Integer.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = CHECKSUMS_COUNT_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public CommitRequest wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Inode number. */
    public long ino() {
        return buffer.getU64(INO_OFFSET);
    }

    /** Sets inode number. */
    public CommitRequest ino(long value) {
        buffer.putU64(INO_OFFSET, value);
        return this;
    }

    /** Version that the client's view came from; counts with IF_UNCHANGED. */
    public long baseVersion() {
        return buffer.getU64(BASE_VERSION_OFFSET);
    }

    /** Sets version that the client's view came from; counts with IF_UNCHANGED. */
    public CommitRequest baseVersion(long value) {
        buffer.putU64(BASE_VERSION_OFFSET, value);
        return this;
    }

    /** End of the written range, or the new size with SET_SIZE. */
    public long sizeBytes() {
        return buffer.getU64(SIZE_BYTES_OFFSET);
    }

    /** Sets end of the written range, or the new size with SET_SIZE. */
    public CommitRequest sizeBytes(long value) {
        buffer.putU64(SIZE_BYTES_OFFSET, value);
        return this;
    }

    /** With APPEND: the size that must still hold. */
    public long expectedSizeBytes() {
        return buffer.getU64(EXPECTED_SIZE_BYTES_OFFSET);
    }

    /** Sets with APPEND: the size that must still hold. */
    public CommitRequest expectedSizeBytes(long value) {
        buffer.putU64(EXPECTED_SIZE_BYTES_OFFSET, value);
        return this;
    }

    /** Seconds. */
    public long mtimeSec() {
        return buffer.getU64(MTIME_SEC_OFFSET);
    }

    /** Sets seconds. */
    public CommitRequest mtimeSec(long value) {
        buffer.putU64(MTIME_SEC_OFFSET, value);
        return this;
    }

    /** Nanoseconds. */
    public int mtimeNsec() {
        return buffer.getI32(MTIME_NSEC_OFFSET);
    }

    /** Sets nanoseconds. */
    public CommitRequest mtimeNsec(int value) {
        buffer.putU32(MTIME_NSEC_OFFSET, value);
        return this;
    }

    /** Bits of CommitFlags. */
    public int flags() {
        return buffer.getI32(FLAGS_OFFSET);
    }

    /** Sets bits of CommitFlags. */
    public CommitRequest flags(int value) {
        buffer.putU32(FLAGS_OFFSET, value);
        return this;
    }

    /** Blocks to lend with the answer, 0 for none. */
    public int wantBlocks() {
        return buffer.getI32(WANT_BLOCKS_OFFSET);
    }

    /** Sets blocks to lend with the answer, 0 for none. */
    public CommitRequest wantBlocks(int value) {
        buffer.putU32(WANT_BLOCKS_OFFSET, value);
        return this;
    }

    /** Zero. */
    public int reserved() {
        return buffer.getI32(RESERVED_OFFSET);
    }

    /** Sets zero. */
    public CommitRequest reserved(int value) {
        buffer.putU32(RESERVED_OFFSET, value);
        return this;
    }

    /** Elements of extents. */
    public int extentsCount() {
        return buffer.getI32(EXTENTS_COUNT_OFFSET);
    }

    /** Elements of checksums. */
    public int checksumsCount() {
        return buffer.getI32(CHECKSUMS_COUNT_OFFSET);
    }

    /** Where extents begin in the body: extents. */
    public int extentsOffset() {
        return FIXED_BYTES;
    }

    /** Sets the number of extents; the elements are written in place. */
    public CommitRequest extentsCount(int count) {
        buffer.putU32(EXTENTS_COUNT_OFFSET, count);
        return this;
    }

    /** Where element {@code index} of extents is in the body; checked against the body's limit. */
    public int extents(int index) {
        int offset = extentsOffset() + index * 32;
        if (index < 0 || offset + 32 > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "CommitRequest.extents: element " + index + " outside a body of " + buffer.lengthBytes());
        }
        return offset;
    }

    /** Where checksums begin in the body: CRC32C per block. */
    public int checksumsOffset() {
        return extentsOffset() + extentsCount() * 32;
    }

    /** Sets the number of checksums; the elements are written in place. */
    public CommitRequest checksumsCount(int count) {
        buffer.putU32(CHECKSUMS_COUNT_OFFSET, count);
        return this;
    }

    /** Where element {@code index} of checksums is in the body; checked against the body's limit. */
    public int checksums(int index) {
        int offset = checksumsOffset() + index * 4;
        if (index < 0 || offset + 4 > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "CommitRequest.checksums: element " + index + " outside a body of " + buffer.lengthBytes());
        }
        return offset;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return checksumsOffset() + checksumsCount() * 4;
    }
}
