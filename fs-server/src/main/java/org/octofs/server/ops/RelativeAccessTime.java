package org.octofs.server.ops;

import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.server.store.InodeRecord;

/** The rule of relatime. */
final class RelativeAccessTime {
    private static final long DAY_SECONDS = 24 * 3600;

    private RelativeAccessTime() {}

    /** Whether a read changes the access time: it is not later than the last change of data or attributes, or a day old. */
    static boolean isDue(InodeRecord inode, long nowSeconds) {
        return !isLater(inode, InodeLayout.MTIME_SEC_OFFSET, InodeLayout.MTIME_NSEC_OFFSET)
                || !isLater(inode, InodeLayout.CTIME_SEC_OFFSET, InodeLayout.CTIME_NSEC_OFFSET)
                || nowSeconds - inode.getLong(InodeLayout.ATIME_SEC_OFFSET) >= DAY_SECONDS;
    }

    private static boolean isLater(InodeRecord inode, int secondsOffset, int nanosOffset) {
        long accessed = inode.getLong(InodeLayout.ATIME_SEC_OFFSET);
        long other = inode.getLong(secondsOffset);
        return accessed != other
                ? accessed > other
                : inode.getInt(InodeLayout.ATIME_NSEC_OFFSET) > inode.getInt(nanosOffset);
    }
}
