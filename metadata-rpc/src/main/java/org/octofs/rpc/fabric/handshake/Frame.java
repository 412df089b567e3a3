package org.octofs.rpc.fabric.handshake;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Building and taking apart frames. Everything read is checked against the frame's length. Threading: a frame belongs to
 * one thread. Not for hot paths.
 */
public final class Frame {
    private final FrameType type;
    private final ByteBuffer body;

    private Frame(FrameType type, ByteBuffer body) {
        this.type = type;
        this.body = body;
    }

    /** A frame to be filled in. */
    public static Frame create(FrameType type) {
        ByteBuffer whole = ByteBuffer.allocate(FrameLayout.HEADER_BYTES + FrameLayout.BODY_BYTES_MAX)
                .order(ByteOrder.LITTLE_ENDIAN);
        whole.position(FrameLayout.HEADER_BYTES);
        return new Frame(type, whole);
    }

    /** Adds a u16. */
    public Frame putShort(int value) {
        body.putShort((short) value);
        return this;
    }

    /** Adds a u32. */
    public Frame putInt(int value) {
        body.putInt(value);
        return this;
    }

    /** Adds a u64. */
    public Frame putLong(long value) {
        body.putLong(value);
        return this;
    }

    /** Adds {length u16, bytes}. */
    public Frame putBlob(byte[] bytes) {
        body.putShort((short) bytes.length);
        body.put(bytes);
        return this;
    }

    /** Adds text as a blob of UTF-8, cut if it is very long. */
    public Frame putText(String text) {
        String cut = text.length() > 1024 ? text.substring(0, 1024) : text;
        return putBlob(cut.getBytes(UTF_8));
    }

    /** The finished frame, ready to be written to a socket. */
    public ByteBuffer toBytes() {
        ByteBuffer whole = body.duplicate().order(ByteOrder.LITTLE_ENDIAN).flip();
        whole.putInt(FrameLayout.MAGIC_OFFSET, FrameLayout.MAGIC);
        whole.putShort(FrameLayout.VERSION_OFFSET, (short) FrameLayout.VERSION);
        whole.putShort(FrameLayout.TYPE_OFFSET, (short) type.code);
        whole.putInt(FrameLayout.BODY_BYTES_OFFSET, whole.limit() - FrameLayout.HEADER_BYTES);
        whole.putInt(FrameLayout.CHECKSUM_OFFSET, checksum(whole));
        return whole;
    }

    /**
     * Takes the first frame out of what has been received.
     *
     * @param received from position to limit; the position moves behind the frame
     * @return null when it is not complete yet
     * @throws HandshakeException when it can never become a frame of this version
     */
    public static Frame decode(ByteBuffer received) throws HandshakeException {
        int start = received.position();
        int available = received.remaining();
        // As soon as the first bytes tell that this is something else, do not wait for more of it.
        int known = Math.min(available, Integer.BYTES);
        for (int i = 0; i < known; i++) {
            if (received.get(start + i) != (byte) (FrameLayout.MAGIC >>> (8 * i))) {
                throw new HandshakeException("not the OctoFS protocol");
            }
        }
        if (available < FrameLayout.HEADER_BYTES) {
            return null;
        }
        int version = received.getShort(start + FrameLayout.VERSION_OFFSET) & 0xFFFF;
        if (version != FrameLayout.VERSION) {
            throw new HandshakeException("protocol version " + version + ", this process speaks version "
                    + FrameLayout.VERSION + "; use the same OctoFS version on both sides");
        }
        int bodyBytes = received.getInt(start + FrameLayout.BODY_BYTES_OFFSET);
        if (bodyBytes < 0 || bodyBytes > FrameLayout.BODY_BYTES_MAX) {
            throw new HandshakeException("frame of " + (bodyBytes & 0xFFFF_FFFFL) + " bytes, at most "
                    + FrameLayout.BODY_BYTES_MAX + " are allowed");
        }
        int frameBytes = FrameLayout.HEADER_BYTES + bodyBytes;
        if (available < frameBytes) {
            return null;
        }
        ByteBuffer whole = ByteBuffer.allocate(frameBytes).order(ByteOrder.LITTLE_ENDIAN);
        whole.put(0, received, start, frameBytes);
        received.position(start + frameBytes);
        int expected = checksum(whole);
        int found = whole.getInt(FrameLayout.CHECKSUM_OFFSET);
        if (expected != found) {
            throw new HandshakeException("frame with checksum " + Integer.toHexString(found) + ", expected "
                    + Integer.toHexString(expected));
        }
        FrameType type = FrameType.ofCode(whole.getShort(FrameLayout.TYPE_OFFSET) & 0xFFFF);
        return new Frame(type, whole.position(FrameLayout.HEADER_BYTES));
    }

    private static int checksum(ByteBuffer whole) {
        CRC32C crc = new CRC32C();
        crc.update(whole.slice(0, FrameLayout.CHECKSUM_OFFSET));
        crc.update(whole.slice(FrameLayout.HEADER_BYTES, whole.limit() - FrameLayout.HEADER_BYTES));
        return (int) crc.getValue();
    }

    /** Kind of the frame. */
    public FrameType type() {
        return type;
    }

    /** Takes a u16. */
    public int getShort() throws HandshakeException {
        need(Short.BYTES);
        return body.getShort() & 0xFFFF;
    }

    /** Takes a u32. */
    public int getInt() throws HandshakeException {
        need(Integer.BYTES);
        return body.getInt();
    }

    /** Takes a u64. */
    public long getLong() throws HandshakeException {
        need(Long.BYTES);
        return body.getLong();
    }

    /** Takes a blob of at most {@code bytesMax}. */
    public byte[] getBlob(int bytesMax) throws HandshakeException {
        int length = getShort();
        if (length > bytesMax) {
            throw new HandshakeException("field of " + length + " bytes, at most " + bytesMax + " are allowed");
        }
        need(length);
        byte[] bytes = new byte[length];
        body.get(bytes);
        return bytes;
    }

    /** Takes text. */
    public String getText(int bytesMax) throws HandshakeException {
        return new String(getBlob(bytesMax), UTF_8);
    }

    /** Checks that nothing is left. */
    public void end() throws HandshakeException {
        if (body.hasRemaining()) {
            throw new HandshakeException(type + " with " + body.remaining() + " bytes too many");
        }
    }

    private void need(int bytes) throws HandshakeException {
        if (body.remaining() < bytes) {
            throw new HandshakeException(type + " is too short");
        }
    }
}
