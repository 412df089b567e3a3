package org.octofs.client.data;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.octofs.rpc.protocol.InodeLayout;

/** Checks of inode images that were read one-sidedly. */
public final class InodeImages {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private InodeImages() {}

    /** Whether an image is consistent, at offset 0 of {@code image}, and that of inode {@code ino}. */
    public static boolean isOf(MemorySegment image, long ino) {
        return image.get(LONG, InodeLayout.INO_OFFSET) == ino && InodeLayout.isConsistent(image, 0);
    }
}
