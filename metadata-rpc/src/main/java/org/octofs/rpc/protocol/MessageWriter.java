package org.octofs.rpc.protocol;

import java.lang.foreign.MemorySegment;

/**
 * Writes a message front to back; for bodies that are lists of variable length.
 *
 * <p>Every write is checked by the {@link MessageBuffer} below it and throws {@link ProtocolException} past its end,
 * leaving the position where it was. Confined to the holder of the message; allocates nothing.
 */
public final class MessageWriter {
    private MessageBuffer buffer;
    private int position;

    /** A writer of an empty message; see {@link #reset}. */
    public MessageWriter() {
        this.buffer = new MessageBuffer();
    }

    /**
     * Starts over in another message.
     *
     * @param at first byte to be written, from the start of the window
     * @return this
     */
    public MessageWriter reset(MessageBuffer buffer, int at) {
        this.buffer = buffer;
        this.position = buffer.check(at, 0);
        return this;
    }

    /** The next byte to be written, from the start of the window; at the end, the length of the body. */
    public int position() {
        return position;
    }

    /** Bytes between the position and the end of the window. */
    public int remainingBytes() {
        return buffer.lengthBytes() - position;
    }

    public MessageWriter u8(int value) {
        buffer.putU8(position, value);
        position += Byte.BYTES;
        return this;
    }

    public MessageWriter u16(int value) {
        buffer.putU16(position, value);
        position += Short.BYTES;
        return this;
    }

    public MessageWriter u32(long value) {
        buffer.putU32(position, value);
        position += Integer.BYTES;
        return this;
    }

    public MessageWriter u64(long value) {
        buffer.putU64(position, value);
        position += Long.BYTES;
        return this;
    }

    public MessageWriter bytes(byte[] source, int sourceIndex, int count) {
        buffer.putBytes(position, source, sourceIndex, count);
        position += count;
        return this;
    }

    public MessageWriter bytes(MemorySegment source, long sourceOffset, int count) {
        buffer.putBytes(position, source, sourceOffset, count);
        position += count;
        return this;
    }

    /** Writes {@code count} zero bytes. */
    public MessageWriter zeros(int count) {
        buffer.zero(position, count);
        position += count;
        return this;
    }

    /**
     * Leaves room for a field that is known only later (a count).
     *
     * @return position of the room; fill it with the absolute accessors of the buffer
     */
    public int reserve(int count) {
        int at = buffer.check(position, count);
        position += count;
        return at;
    }
}
