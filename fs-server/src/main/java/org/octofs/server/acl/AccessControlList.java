package org.octofs.server.acl;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One list, over its bytes as of {@code system.posix_acl_access}: u32 version 2, then entries of {u16 tag, u16 permissions, u32
 * id}, little-endian, in the order owner, users, owning group, groups, mask, others.
 *
 * <p>Threading: not thread-safe. Ownership: holds a copy of the bytes.
 */
public final class AccessControlList {
    private static final byte[] ACCESS = "system.posix_acl_access".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DEFAULT = "system.posix_acl_default".getBytes(StandardCharsets.US_ASCII);

    private static final int VERSION = 2;
    private static final int HEADER_BYTES = Integer.BYTES;
    private static final int ENTRY_BYTES = 8;
    private static final int TAG_OFFSET = 0;
    private static final int PERMISSIONS_OFFSET = TAG_OFFSET + Short.BYTES;
    private static final int ALL = 7;

    private static final int OWNER = 0x01;
    private static final int USER = 0x02;
    private static final int OWNING_GROUP = 0x04;
    private static final int GROUP = 0x08;
    private static final int MASK = 0x10;
    private static final int OTHERS = 0x20;

    private static final int OWNER_SHIFT = 6;
    private static final int GROUP_SHIFT = 3;
    private static final int PERMISSION_BITS = 0777;

    private final byte[] value;
    private final ByteBuffer bytes;

    private AccessControlList(byte[] value) {
        this.value = value;
        bytes = ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Name of the attribute with the list that is checked. */
    public static byte[] accessName() {
        return ACCESS.clone();
    }

    /** Name of the attribute with the list that a directory's new entries inherit. */
    public static byte[] defaultName() {
        return DEFAULT.clone();
    }

    /** Whether an attribute is the list that is checked. */
    public static boolean isAccess(byte[] name) {
        return Arrays.equals(name, ACCESS);
    }

    /** Whether an attribute is the list that new entries inherit. */
    public static boolean isDefault(byte[] name) {
        return Arrays.equals(name, DEFAULT);
    }

    /** Null if the value is no valid list. */
    public static AccessControlList parse(byte[] value) {
        if (value.length < HEADER_BYTES + 3 * ENTRY_BYTES || (value.length - HEADER_BYTES) % ENTRY_BYTES != 0) {
            return null;
        }
        AccessControlList list = new AccessControlList(value.clone());
        return list.bytes.getInt(0) == VERSION && list.isValid() ? list : null;
    }

    private boolean isValid() {
        int seen = 0;
        int before = 0;
        for (int at = HEADER_BYTES; at < bytes.capacity(); at += ENTRY_BYTES) {
            int tag = tag(at);
            boolean repeats = tag == USER || tag == GROUP;
            if (Integer.bitCount(tag) != 1 || tag > OTHERS || tag < before || (tag == before && !repeats)) {
                return false;
            }
            if ((bytes.getShort(at + PERMISSIONS_OFFSET) & ~ALL) != 0) {
                return false;
            }
            seen |= tag;
            before = tag;
        }
        int needed = OWNER | OWNING_GROUP | OTHERS | ((seen & (USER | GROUP)) != 0 ? MASK : 0);
        return (seen & needed) == needed;
    }

    /** The bytes of the attribute. */
    public byte[] value() {
        return value.clone();
    }

    /** Whether it says no more than permission bits can. */
    public boolean isOnlyMode() {
        return bytes.capacity() == HEADER_BYTES + 3 * ENTRY_BYTES;
    }

    /** {@code mode} with the permission bits that follow from the list. */
    public int modeFrom(int mode) {
        int bits = permissions(OWNER) << OWNER_SHIFT | permissions(groupClass()) << GROUP_SHIFT | permissions(OTHERS);
        return (mode & ~PERMISSION_BITS) | bits;
    }

    /** Follows chmod. */
    public void takeMode(int mode) {
        set(OWNER, mode >> OWNER_SHIFT & ALL);
        set(groupClass(), mode >> GROUP_SHIFT & ALL);
        set(OTHERS, mode & ALL);
    }

    /** Becomes the list of a new inode that is made with {@code mode}: it grants nothing that the mode does not. */
    public void restrictTo(int mode) {
        set(OWNER, permissions(OWNER) & mode >> OWNER_SHIFT);
        set(groupClass(), permissions(groupClass()) & mode >> GROUP_SHIFT);
        set(OTHERS, permissions(OTHERS) & mode);
    }

    /** The entry that the group bits of the mode show. */
    private int groupClass() {
        return find(MASK) >= 0 ? MASK : OWNING_GROUP;
    }

    private int find(int tag) {
        for (int at = HEADER_BYTES; at < bytes.capacity(); at += ENTRY_BYTES) {
            if (tag(at) == tag) {
                return at;
            }
        }
        return -1;
    }

    private int tag(int at) {
        return bytes.getShort(at + TAG_OFFSET) & 0xFFFF;
    }

    private int permissions(int tag) {
        return bytes.getShort(find(tag) + PERMISSIONS_OFFSET) & ALL;
    }

    private void set(int tag, int value) {
        bytes.putShort(find(tag) + PERMISSIONS_OFFSET, (short) value);
    }
}
