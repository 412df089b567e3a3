package org.octofs.client.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** One flush: a cache line past the caches and a fence, on memory of this process. Thread-safe. */
final class FlushCost implements AutoCloseable {
    private static final int BYTES = 1 << 20;
    private static final int LINE_BYTES = 64;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment from = arena.allocate(LINE_BYTES, LINE_BYTES);
    private final MemorySegment to = arena.allocate(BYTES, LINE_BYTES);

    FlushCost() {
        from.fill((byte) 5);
        to.fill((byte) 6);
    }

    void run(long index) {
        MemoryCopy.NON_TEMPORAL_DURABLE.run(from, 0, to, index % (BYTES / LINE_BYTES) * LINE_BYTES, LINE_BYTES);
    }

    @Override
    public void close() {
        arena.close();
    }
}
