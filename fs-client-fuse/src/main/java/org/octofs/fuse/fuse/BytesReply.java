package org.octofs.fuse.fuse;

/** Answer that is a string of bytes: a symlink's target, an extended attribute, a list of names. */
public final class BytesReply {
    private static final byte[] NOTHING = {};

    private byte[] bytes = NOTHING;

    /** Takes the array over; it is not copied. */
    public void set(byte[] value) {
        bytes = value;
    }

    public byte[] get() {
        return bytes;
    }

    public void clear() {
        bytes = NOTHING;
    }
}
