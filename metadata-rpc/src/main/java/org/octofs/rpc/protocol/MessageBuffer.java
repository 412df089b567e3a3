package org.octofs.rpc.protocol;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A window of at most 2 GiB onto a memory segment, little-endian, in which every access is checked against the window.
 *
 * <p>Positions ({@code at}) count bytes from the start of the window. Unsigned fields of 8 and 16 bits come back as
 * non-negative ints, unsigned fields of 32 bits as non-negative longs, fields of 64 bits as the long with the same bits.
 * Nothing needs to be aligned.
 *
 * <p>Threading: none of its own; a window belongs to whoever holds the message. Ownership: the window does not own its
 * memory and must not be used after the message was handed on (a reply sent, a call closed). Limits: every accessor
 * throws {@link ProtocolException} when {@code [at, at + width)} is not inside the window, and then has read and written
 * nothing. Allocates nothing, not even in {@link #wrap}.
 */
public final class MessageBuffer {
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private MemorySegment memory = MemorySegment.NULL;
    private long base;
    private int lengthBytes;

    /** An empty window; every access fails until {@link #wrap} is called. */
    public MessageBuffer() {}

    /**
     * A window on a whole segment.
     *
     * @param memory the whole segment becomes the window; at most {@code Integer.MAX_VALUE} bytes
     */
    public MessageBuffer(MemorySegment memory) {
        wrap(memory, 0, Math.toIntExact(memory.byteSize()));
    }

    /**
     * Moves the window.
     *
     * @param memory segment that holds the message, native or over a byte array
     * @param offset start of the window in {@code memory}, bytes
     * @param lengthBytes length of the window
     * @return this
     * @throws ProtocolException if the window would not lie inside {@code memory}; the old window then stays
     */
    public MessageBuffer wrap(MemorySegment memory, long offset, int lengthBytes) {
        if (offset < 0 || lengthBytes < 0 || offset > memory.byteSize() - lengthBytes) {
            throw new ProtocolException("a window of " + lengthBytes + " bytes at " + offset
                    + " does not fit a segment of " + memory.byteSize() + " bytes");
        }
        this.memory = memory;
        this.base = offset;
        this.lengthBytes = lengthBytes;
        return this;
    }

    /** Makes the window empty, so that a late use fails instead of reading somebody else's message. */
    public void clear() {
        memory = MemorySegment.NULL;
        base = 0;
        lengthBytes = 0;
    }

    /** Length of the window in bytes. */
    public int lengthBytes() {
        return lengthBytes;
    }

    /** The segment behind the window, for copies in bulk; only {@code [memoryOffset, memoryOffset + lengthBytes)} is ours. */
    public MemorySegment memory() {
        return memory;
    }

    /** Where the window starts in {@link #memory()}, bytes. */
    public long memoryOffset() {
        return base;
    }

    public int getU8(int at) {
        return memory.get(ValueLayout.JAVA_BYTE, position(at, Byte.BYTES)) & 0xFF;
    }

    public int getU16(int at) {
        return memory.get(U16, position(at, Short.BYTES)) & 0xFFFF;
    }

    public long getU32(int at) {
        return memory.get(U32, position(at, Integer.BYTES)) & 0xFFFF_FFFFL;
    }

    /** The same 32 bits as a signed int, for fields that are signed or whose top bit carries no value. */
    public int getI32(int at) {
        return memory.get(U32, position(at, Integer.BYTES));
    }

    public long getU64(int at) {
        return memory.get(U64, position(at, Long.BYTES));
    }

    public void putU8(int at, int value) {
        memory.set(ValueLayout.JAVA_BYTE, position(at, Byte.BYTES), (byte) value);
    }

    public void putU16(int at, int value) {
        memory.set(U16, position(at, Short.BYTES), (short) value);
    }

    public void putU32(int at, long value) {
        memory.set(U32, position(at, Integer.BYTES), (int) value);
    }

    public void putU64(int at, long value) {
        memory.set(U64, position(at, Long.BYTES), value);
    }

    /**
     * Copies bytes out of the message.
     *
     * @throws IndexOutOfBoundsException if the target range is not inside {@code target} (a bug of the caller)
     */
    public void getBytes(int at, byte[] target, int targetIndex, int count) {
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, position(at, count), target, targetIndex, count);
    }

    /** Copies bytes out of the message, see {@link #getBytes(int, byte[], int, int)}. */
    public void getBytes(int at, MemorySegment target, long targetOffset, int count) {
        MemorySegment.copy(memory, position(at, count), target, targetOffset, count);
    }

    /**
     * Copies bytes into the message.
     *
     * @throws IndexOutOfBoundsException if the source range is not inside {@code source} (a bug of the caller)
     */
    public void putBytes(int at, byte[] source, int sourceIndex, int count) {
        MemorySegment.copy(source, sourceIndex, memory, ValueLayout.JAVA_BYTE, position(at, count), count);
    }

    /** Copies bytes into the message, see {@link #putBytes(int, byte[], int, int)}. */
    public void putBytes(int at, MemorySegment source, long sourceOffset, int count) {
        MemorySegment.copy(source, sourceOffset, memory, position(at, count), count);
    }

    /** Fills {@code [at, at + count)} with zeros: reserved bytes are written as zero, whatever the slot held before. */
    public void zero(int at, int count) {
        long from = position(at, count);
        for (long end = from + count; from < end && from + Long.BYTES <= end; from += Long.BYTES) {
            memory.set(U64, from, 0L);
        }
        for (long end = position(at, count) + count; from < end; from++) {
            memory.set(ValueLayout.JAVA_BYTE, from, (byte) 0);
        }
    }

    /**
     * Checks a range before it is used piecewise.
     *
     * @return {@code at}
     * @throws ProtocolException if {@code [at, at + count)} is not inside the window
     */
    public int check(int at, int count) {
        position(at, count);
        return at;
    }

    private long position(int at, int count) {
        if ((at | count) < 0 || at > lengthBytes - count) {
            throw new ProtocolException(
                    count + " bytes at " + at + " lie outside of the message's " + lengthBytes + " bytes");
        }
        return base + at;
    }
}
