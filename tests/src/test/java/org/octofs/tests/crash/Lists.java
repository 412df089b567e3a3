package org.octofs.tests.crash;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Access control lists with one named user: owner, user 5, owning group, mask, others. */
final class Lists {
    static final String ACCESS = "system.posix_acl_access";
    static final String DEFAULT = "system.posix_acl_default";
    private static final int[] TAGS = {1, 2, 4, 16, 32};
    private static final int OWNER = 0;
    private static final int MASK = 3;
    private static final int OTHERS = 4;

    private Lists() {}

    /** The bytes of the attribute; permissions in the order above. */
    static byte[] of(int... permissions) {
        ByteBuffer bytes = ByteBuffer.allocate(4 + 8 * TAGS.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(2);
        for (int i = 0; i < TAGS.length; i++) {
            bytes.putShort((short) TAGS[i]).putShort((short) permissions[i]).putInt(TAGS[i] == 2 ? 5 : -1);
        }
        return bytes.array();
    }

    /** The permission bits that a list shows. */
    static int mode(byte[] list) {
        return get(list, OWNER) << 6 | get(list, MASK) << 3 | get(list, OTHERS);
    }

    /** The list of something new that is made with these permission bits below a directory with a default list. */
    static byte[] inherited(byte[] list, int mode) {
        byte[] result = list.clone();
        put(result, OWNER, get(list, OWNER) & mode >> 6);
        put(result, MASK, get(list, MASK) & mode >> 3);
        put(result, OTHERS, get(list, OTHERS) & mode);
        return result;
    }

    private static int get(byte[] list, int entry) {
        return list[4 + 8 * entry + 2];
    }

    private static void put(byte[] list, int entry, int permissions) {
        list[4 + 8 * entry + 2] = (byte) (permissions & 7);
    }
}
