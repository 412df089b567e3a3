package org.octofs.server.store;

/** What a page of the METADATA zone holds: the lowest byte of its word in the PAGE_TABLE zone. */
public final class PageKind {
    /** Nothing, or something that is only found by following references (map nodes, blobs). */
    public static final int FREE = 0;

    /** 16 inode slots of 256 bytes. For ever: version words of a slot never go back. */
    public static final int INODE = 1;

    /** 32 dentry slots of 128 bytes, for short names. */
    public static final int DENTRY_SMALL = 2;

    /** 12 dentry slots of 336 bytes, for names of any length. */
    public static final int DENTRY_LARGE = 3;

    /** In DRAM only: reachable from an inode; FREE on media. */
    public static final int REACHED = 4;

    /** Bytes of a page. */
    public static final int PAGE_BYTES = 4096;

    /** Most slots that a page has. */
    public static final int SLOTS_MAX = 32;

    private static final int[] SLOT_BYTES = {0, 256, 128, 336, 0};

    private PageKind() {}

    /** Bytes of one slot in a page of {@code kind}, 0 if such pages have no slots. */
    public static int slotBytes(int kind) {
        return SLOT_BYTES[kind];
    }

    /** Slots in a page of {@code kind}. */
    public static int slotCount(int kind) {
        return SLOT_BYTES[kind] == 0 ? 0 : PAGE_BYTES / SLOT_BYTES[kind];
    }
}
