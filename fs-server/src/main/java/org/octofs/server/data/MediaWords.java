package org.octofs.server.data;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** How words of block maps are read from memory. */
final class MediaWords {
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private MediaWords() {}
}
