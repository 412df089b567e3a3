package org.octofs.rpc.fabric.verbs;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Registered memory of a connection through which requests on other memory are copied. Given out and taken back in the order
 * of the requests, so it is a ring: positions only grow, and a part never lies across the end.
 *
 * <p>Threading: confined to its send queue's lock. Ownership: owns its memory.
 */
final class StagingRing implements AutoCloseable {
    /** Size of the memory. */
    static final int BYTES = 4 << 20;

    /** Largest part. */
    static final int PART_BYTES_MAX = 256 << 10;

    private static final int ALIGNMENT = 64;
    private static final int PAGE_BYTES = 4096;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final VerbsDevice.Registration registration;
    private long head;
    private long tail;

    StagingRing(VerbsDevice device) throws IOException {
        memory = arena.allocate(BYTES, PAGE_BYTES);
        try {
            registration = device.registerMemory(memory);
        } catch (IOException e) {
            arena.close();
            throw e;
        }
    }

    /** Offset of a free part; -1 when there is none now. */
    int allocate(int lengthBytes) {
        long at = head;
        int offset = (int) (at % BYTES);
        if (offset + lengthBytes > BYTES) {
            at += BYTES - offset;
            offset = 0;
        }
        long end = at + (lengthBytes + ALIGNMENT - 1) / ALIGNMENT * (long) ALIGNMENT;
        if (end - tail > BYTES) {
            return -1;
        }
        head = end;
        return offset;
    }

    /** Position after what has been given out by now, for {@link #release}. */
    long position() {
        return head;
    }

    /** Everything that was given out before a position is free again. */
    void release(long position) {
        tail = position;
    }

    MemorySegment memory() {
        return memory;
    }

    int lkey() {
        return registration.lkey();
    }

    @Override
    public void close() {
        registration.close();
        arena.close();
    }
}
