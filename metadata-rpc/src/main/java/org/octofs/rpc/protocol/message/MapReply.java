package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * Answer of MAP: BlockEntries of 16 bytes from the first block asked, holes included; may be fewer than asked only at the end of the mapped part. It also says where the map goes on behind them.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class MapReply {
    /** u64, version of the inode. */
    public static final int VERSION_OFFSET = 0;

    /** u64, file size. */
    public static final int SIZE_BYTES_OFFSET = VERSION_OFFSET + Long.BYTES;

    /** i64, a file block behind the entries before which there are only holes; -1 = there are only holes. */
    public static final int NEXT_MAPPED_OFFSET = SIZE_BYTES_OFFSET + Long.BYTES;

    /** u32, elements of entries. */
    public static final int ENTRIES_COUNT_OFFSET = NEXT_MAPPED_OFFSET + Long.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = ENTRIES_COUNT_OFFSET + Integer.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public MapReply wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Version of the inode. */
    public long version() {
        return buffer.getU64(VERSION_OFFSET);
    }

    /** Sets version of the inode. */
    public MapReply version(long value) {
        buffer.putU64(VERSION_OFFSET, value);
        return this;
    }

    /** File size. */
    public long sizeBytes() {
        return buffer.getU64(SIZE_BYTES_OFFSET);
    }

    /** Sets file size. */
    public MapReply sizeBytes(long value) {
        buffer.putU64(SIZE_BYTES_OFFSET, value);
        return this;
    }

    /** A file block behind the entries before which there are only holes; -1 = there are only holes. */
    public long nextMapped() {
        return buffer.getU64(NEXT_MAPPED_OFFSET);
    }

    /** Sets the block behind the entries before which there are only holes. */
    public MapReply nextMapped(long value) {
        buffer.putU64(NEXT_MAPPED_OFFSET, value);
        return this;
    }

    /** Elements of entries. */
    public int entriesCount() {
        return buffer.getI32(ENTRIES_COUNT_OFFSET);
    }

    /** Where entries begin in the body: BlockEntries. */
    public int entriesOffset() {
        return FIXED_BYTES;
    }

    /** Sets the number of entries; the elements are written in place. */
    public MapReply entriesCount(int count) {
        buffer.putU32(ENTRIES_COUNT_OFFSET, count);
        return this;
    }

    /** Where element {@code index} of entries is in the body; checked against the body's limit. */
    public int entries(int index) {
        int offset = entriesOffset() + index * 16;
        if (index < 0 || offset + 16 > buffer.lengthBytes()) {
            throw new ProtocolException(
                    "MapReply.entries: element " + index + " outside a body of " + buffer.lengthBytes());
        }
        return offset;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return entriesOffset() + entriesCount() * 16;
    }
}
