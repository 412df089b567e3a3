package org.octofs.rpc.protocol;

import java.lang.foreign.MemorySegment;

/**
 * Reads a message front to back; for bodies that are lists of variable length.
 *
 * <p>Every read is checked by the {@link MessageBuffer} below it and throws {@link ProtocolException} past its end,
 * leaving the position where it was. Confined to the holder of the message; allocates nothing.
 */
public final class MessageReader {
    private MessageBuffer buffer;
    private int position;

    /** A reader of an empty message; see {@link #reset}. */
    public MessageReader() {
        this.buffer = new MessageBuffer();
    }

    /**
     * Starts over in another message.
     *
     * @param at first byte to be read, from the start of the window
     * @return this
     */
    public MessageReader reset(MessageBuffer buffer, int at) {
        this.buffer = buffer;
        this.position = buffer.check(at, 0);
        return this;
    }

    /** The next byte to be read, from the start of the window. */
    public int position() {
        return position;
    }

    /** Bytes between the position and the end of the message. */
    public int remainingBytes() {
        return buffer.lengthBytes() - position;
    }

    public int u8() {
        int value = buffer.getU8(position);
        position += Byte.BYTES;
        return value;
    }

    public int u16() {
        int value = buffer.getU16(position);
        position += Short.BYTES;
        return value;
    }

    public long u32() {
        long value = buffer.getU32(position);
        position += Integer.BYTES;
        return value;
    }

    /** Thirty-two bits as a signed int. */
    public int i32() {
        int value = buffer.getI32(position);
        position += Integer.BYTES;
        return value;
    }

    public long u64() {
        long value = buffer.getU64(position);
        position += Long.BYTES;
        return value;
    }

    public void bytes(byte[] target, int targetIndex, int count) {
        buffer.getBytes(position, target, targetIndex, count);
        position += count;
    }

    public void bytes(MemorySegment target, long targetOffset, int count) {
        buffer.getBytes(position, target, targetOffset, count);
        position += count;
    }

    /**
     * Skips bytes and says where they were, so that they can be used in place.
     *
     * @return position of the first skipped byte
     */
    public int skip(int count) {
        int at = buffer.check(position, count);
        position += count;
        return at;
    }

    /**
     * A count that precedes elements of a known least size.
     *
     * @param elementBytesMin what one element takes at least, at least 1
     * @return the count, which the rest of the message can hold
     * @throws ProtocolException if it cannot, so that nobody loops or allocates by a number from the wire
     */
    public int countU32(int elementBytesMin) {
        long count = u32();
        if (count > remainingBytes() / elementBytesMin) {
            throw new ProtocolException(count + " elements of at least " + elementBytesMin
                    + " bytes announced, but only " + remainingBytes() + " bytes follow");
        }
        return (int) count;
    }
}
