package org.octofs.client.data;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.octofs.client.client.FsException;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeLayout;

/** Checks of inode images that were read one-sidedly. */
public final class InodeImages {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private InodeImages() {}

    /** Whether an image is consistent, at offset 0 of {@code image}, and that of inode {@code ino}. */
    public static boolean isOf(MemorySegment image, long ino) {
        return image.get(LONG, InodeLayout.INO_OFFSET) == ino && InodeLayout.isConsistent(image, 0);
    }

    /** Fails for what has no data: where a file has its map, a link has its target. */
    static void requireRegular(MemorySegment image, long at) throws FsException {
        int mode = image.get(INT, at + InodeLayout.MODE_OFFSET);
        if (!FileMode.isRegular(mode)) {
            throw new FsException(FileMode.noData(mode));
        }
    }
}
