package org.octofs.pmem.medium;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** The stores to one cache line that are not durable yet, in the order in which they were made. */
final class PendingLine {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** An aligned 8-byte piece; an ordered one never becomes durable before the ordered ones that precede it. */
    record Store(long offset, long value, boolean ordered) {
        void applyTo(MemorySegment image) {
            image.set(LONG, offset, value);
        }
    }

    private final List<Store> stores = new ArrayList<>();
    private int flushed;

    void add(long offset, long value, boolean ordered) {
        stores.add(new Store(offset, value, ordered));
    }

    void flush() {
        flushed = stores.size();
    }

    /** Makes durable what has been flushed; true when nothing is left. */
    boolean fence(MemorySegment durable) {
        for (int i = 0; i < flushed; i++) {
            stores.get(i).applyTo(durable);
        }
        stores.subList(0, flushed).clear();
        flushed = 0;
        return stores.isEmpty();
    }

    List<Store> stores() {
        return stores;
    }
}
