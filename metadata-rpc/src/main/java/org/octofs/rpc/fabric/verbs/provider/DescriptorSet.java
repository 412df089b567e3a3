package org.octofs.rpc.fabric.verbs.provider;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Descriptors to wait for together, as {@code poll(2)} does. Threading: one at a time. */
public final class DescriptorSet {
    private static final int ENTRY_BYTES = 8;
    private static final long EVENTS = 4;
    private static final long RESULTS = 6;
    private static final short POLLIN = 1;

    private final int count;
    private final MemorySegment entries;

    /** A set that never changes. */
    public DescriptorSet(int... descriptors) {
        count = descriptors.length;
        entries = Arena.ofAuto().allocate((long) ENTRY_BYTES * count, Integer.BYTES);
        for (int i = 0; i < count; i++) {
            entries.set(JAVA_INT, (long) i * ENTRY_BYTES, descriptors[i]);
            entries.set(JAVA_SHORT, (long) i * ENTRY_BYTES + EVENTS, POLLIN);
        }
    }

    /** Waits for one descriptor. */
    static boolean isReady(int descriptor, int timeoutMillis) {
        DescriptorSet one = new DescriptorSet(descriptor);
        one.await(timeoutMillis);
        return one.isReady(0);
    }

    /** Waits until one is readable or the time is over. */
    public void await(int timeoutMillis) {
        int unusedReady = Calls.poll(entries, count, timeoutMillis);
    }

    /** Whether the last wait found a descriptor readable, or broken. */
    public boolean isReady(int index) {
        return entries.get(JAVA_SHORT, (long) index * ENTRY_BYTES + RESULTS) != 0;
    }
}
