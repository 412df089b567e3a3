package org.octofs.server.ops;

import java.util.Arrays;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.server.acl.AccessControlList;
import org.octofs.server.store.BlobStore;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;

/**
 * The extended attributes of one inode, loaded into DRAM, changed there and stored as a new blob. Each is {u16 name length,
 * u16 zero, u32 value length, name, value}, little-endian, in the order set.
 * Threading:  confined to the worker; one object is used again and again.
 * Limits:     {@link #SET_BYTES_MAX} for all attributes of an inode together.
 */
final class XattrSet {
    /** All attributes of an inode with their headers. */
    static final int SET_BYTES_MAX = 192 << 10;

    private static final int HEADER_BYTES = 8;

    private byte[] bytes = new byte[0];
    private int length;

    /** Reads the attributes of an inode. */
    void load(ServerState state, InodeRecord inode) {
        if (bytes.length == 0) {
            bytes = new byte[BlobStore.BYTES_MAX];
        }
        length = inode.xattrRoot() == 0 ? 0 : state.blobs().read(inode.xattrRoot(), bytes);
    }

    /** Stages the attributes as they are now. */
    void store(MetaTransaction tx, ServerState state, InodeRecord inode) {
        if (inode.xattrRoot() != 0) {
            state.blobs().free(tx, inode.xattrRoot());
        }
        if (length == 0) {
            inode.xattrRoot(0).flags(inode.flags() & ~InodeLayout.FLAG_XATTRS);
        } else {
            inode.xattrRoot(state.blobs().write(tx, bytes, length)).flags(inode.flags() | InodeLayout.FLAG_XATTRS);
        }
    }

    /** Position of an attribute, -1 if there is none of this name. */
    int find(byte[] name) {
        for (int at = 0; at < length; at = next(at)) {
            int nameLength = nameLength(at);
            if (Arrays.equals(bytes, at + HEADER_BYTES, at + HEADER_BYTES + nameLength, name, 0, name.length)) {
                return at;
            }
        }
        return -1;
    }

    byte[] bytes() {
        return bytes;
    }

    int valueOffset(int at) {
        return at + HEADER_BYTES + nameLength(at);
    }

    int valueLength(int at) {
        return get32(at + 4);
    }

    void remove(int at) {
        int end = next(at);
        System.arraycopy(bytes, end, bytes, at, length - end);
        length -= end - at;
    }

    /** The attribute as a list; null if there is none of this name, or it is none. */
    AccessControlList list(byte[] name) {
        int at = find(name);
        return at < 0
                ? null
                : AccessControlList.parse(
                        Arrays.copyOfRange(bytes, valueOffset(at), valueOffset(at) + valueLength(at)));
    }

    /** Sets an attribute, new or not; false if all together would be too large: then it is gone. */
    boolean put(byte[] name, byte[] value) {
        int at = find(name);
        if (at >= 0) {
            remove(at);
        }
        return add(name, value);
    }

    /** Adds an attribute that is not there; false if all together would be too large. */
    boolean add(byte[] name, byte[] value) {
        int size = HEADER_BYTES + name.length + value.length;
        if (length + size > SET_BYTES_MAX) {
            return false;
        }
        bytes[length] = (byte) name.length;
        bytes[length + 1] = (byte) (name.length >> 8);
        bytes[length + 2] = 0;
        bytes[length + 3] = 0;
        for (int i = 0; i < Integer.BYTES; i++) {
            bytes[length + 4 + i] = (byte) (value.length >> (8 * i));
        }
        System.arraycopy(name, 0, bytes, length + HEADER_BYTES, name.length);
        System.arraycopy(value, 0, bytes, length + HEADER_BYTES + name.length, value.length);
        length += size;
        return true;
    }

    /** All names, each followed by NUL. */
    byte[] names() {
        byte[] names = new byte[length];
        int count = 0;
        for (int at = 0; at < length; at = next(at)) {
            System.arraycopy(bytes, at + HEADER_BYTES, names, count, nameLength(at));
            count += nameLength(at) + 1;
        }
        return Arrays.copyOf(names, count);
    }

    private int next(int at) {
        return at + HEADER_BYTES + nameLength(at) + valueLength(at);
    }

    private int nameLength(int at) {
        return (bytes[at] & 0xFF) | (bytes[at + 1] & 0xFF) << 8;
    }

    private int get32(int at) {
        return (bytes[at] & 0xFF)
                | (bytes[at + 1] & 0xFF) << 8
                | (bytes[at + 2] & 0xFF) << 16
                | (bytes[at + 3] & 0xFF) << 24;
    }
}
