package org.octofs.server.namespace;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.MessageBuffer;

/**
 * The name of a directory entry, copied out of a request once, so that what is checked is what is used.
 * Threading:  confined to the worker; one object is used again and again.
 */
public final class Name {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final byte[] bytes = new byte[DentryLayout.NAME_BYTES_MAX + 1];
    private final MemorySegment segment = MemorySegment.ofArray(bytes);
    private int length;

    /**
     * Copies and checks a name.
     *
     * @return {@link Errno#OK}, ENAMETOOLONG over 255 bytes, EINVAL for an empty name, "." or "..", '/' or NUL
     */
    public Errno read(MessageBuffer body, int at, int lengthBytes) {
        length = 0;
        if (lengthBytes > DentryLayout.NAME_BYTES_MAX) {
            return Errno.ENAMETOOLONG;
        }
        if (lengthBytes < 1) {
            return Errno.EINVAL;
        }
        body.getBytes(at, bytes, 0, lengthBytes);
        length = lengthBytes;
        return check();
    }

    /** Takes a name from bytes; the same checks. */
    public Errno set(byte[] source) {
        length = 0;
        if (source.length > DentryLayout.NAME_BYTES_MAX) {
            return Errno.ENAMETOOLONG;
        }
        if (source.length < 1) {
            return Errno.EINVAL;
        }
        System.arraycopy(source, 0, bytes, 0, source.length);
        length = source.length;
        return check();
    }

    private Errno check() {
        if (bytes[0] == '.' && (length == 1 || (length == 2 && bytes[1] == '.'))) {
            return Errno.EINVAL;
        }
        for (int i = 0; i < length; i++) {
            if (bytes[i] == '/' || bytes[i] == 0) {
                return Errno.EINVAL;
            }
        }
        return Errno.OK;
    }

    public int length() {
        return length;
    }

    /** A copy of the bytes. */
    public byte[] copy() {
        return Arrays.copyOf(bytes, length);
    }

    /** The bytes; only the first {@link #length()} count. */
    public MemorySegment segment() {
        return segment;
    }

    /** Hash of the name within a directory, as the dentry index has it. */
    int hash(long parent) {
        return hash(parent, segment, 0, length);
    }

    /** Another hash of the name within a directory, FNV-1a: it says which shard a new directory goes to. */
    public int placementHash(long parent) {
        long h = 0xCBF29CE484222325L ^ (parent * 0x9E3779B97F4A7C15L);
        for (int i = 0; i < length; i++) {
            h = (h ^ (bytes[i] & 0xFF)) * 0x100000001B3L;
        }
        h ^= h >>> 32;
        h *= 0xD6E8FEB86659FD93L;
        return (int) (h ^ (h >>> 32));
    }

    /** Whether {@code length} bytes at {@code offset} are this name. */
    public boolean matches(MemorySegment memory, long offset, int lengthBytes) {
        return lengthBytes == length
                && MemorySegment.mismatch(segment, 0, length, memory, offset, offset + lengthBytes) == -1;
    }

    /** Whether both are the same name. */
    public boolean sameAs(Name other) {
        return matches(other.segment, 0, other.length);
    }

    /**
     * The hash that the dentry index uses: eight bytes of the name at a time, seeded by the directory. It is in DRAM only. The last
     * eight bytes may reach past the name; what is there does not count, but must be readable, as it is in slots and here.
     */
    static int hash(long parent, MemorySegment memory, long offset, int lengthBytes) {
        long h = hashStart(parent, lengthBytes);
        for (int i = 0; i < lengthBytes; i += Long.BYTES) {
            h = hashWord(h, memory.get(WORD, offset + i), lengthBytes - i);
        }
        return hashEnd(h);
    }

    /** The same, of a name in a page that recovery has copied. */
    public static int hash(long parent, DirectBuffer page, int offset, int lengthBytes) {
        long h = hashStart(parent, lengthBytes);
        for (int i = 0; i < lengthBytes; i += Long.BYTES) {
            h = hashWord(h, page.getLong(offset + i, ByteOrder.LITTLE_ENDIAN), lengthBytes - i);
        }
        return hashEnd(h);
    }

    private static long hashStart(long parent, int lengthBytes) {
        return (parent + lengthBytes) * 0x9E3779B97F4A7C15L;
    }

    /** Takes a word of the name in, of which {@code left} bytes count, or all. */
    private static long hashWord(long hash, long word, int left) {
        long counted = left < Long.BYTES ? word << ((Long.BYTES - left) * Byte.SIZE) : word;
        long h = hash ^ counted;
        h = (h ^ (h >>> 32)) * 0xD6E8FEB86659FD93L;
        return (h ^ (h >>> 29)) * 0x9E3779B97F4A7C15L;
    }

    private static int hashEnd(long hash) {
        return (int) (hash ^ (hash >>> 32));
    }

    @Override
    public String toString() {
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }
}
