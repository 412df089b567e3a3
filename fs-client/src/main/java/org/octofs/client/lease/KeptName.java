package org.octofs.client.lease;

import java.util.Arrays;

/**
 * The name under which the kernel keeps an inode, for as long as it does. There is only one at a time, so that it can be found when the
 * inode's owner or mode changes. Guarded by the lock of its {@link HomeLeases}.
 */
final class KeptName {
    final long directory;
    /** Null if this client has moved it, and it is not known where to. */
    final byte[] name;

    long untilNanos;

    KeptName(long directory, byte[] name, long untilNanos) {
        this.directory = directory;
        this.name = name;
        this.untilNanos = untilNanos;
    }

    boolean is(long otherDirectory, byte[] otherName) {
        return name != null && directory == otherDirectory && Arrays.equals(name, otherName);
    }

    boolean isKept(long nowNanos) {
        return nowNanos - untilNanos < 0;
    }
}
