package org.octofs.pmem.medium;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

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

    /** Makes durable what a crash may leave: of the ordered stores a random prefix, of the others any. */
    void keepSome(MemorySegment durable, Random random) {
        int ordered = 0;
        for (Store store : stores) {
            ordered += store.ordered() ? 1 : 0;
        }
        int prefix = random.nextInt(ordered + 1);
        for (Store store : stores) {
            if (store.ordered() ? prefix-- > 0 : random.nextBoolean()) {
                store.applyTo(durable);
            }
        }
    }

    List<Store> stores() {
        return stores;
    }
}
