package org.octofs.fuse.fuse;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;

/**
 * Numbers for open files and directories, as the kernel wants them.
 *
 * <p>A handle is {use of the place, place + 1}: never 0, and not given again soon, so that a late release cannot hit the next
 * open file. {@link #get} allocates nothing.
 * Threading:  lock-free but for growth.
 * Limits:     {@link #HANDLE_COUNT_MAX} at once.
 */
final class HandleTable<T> {
    private static final int CHUNK_BITS = 10;
    private static final int CHUNK_SIZE = 1 << CHUNK_BITS;
    private static final int CHUNK_COUNT = 1 << 12;
    static final int HANDLE_COUNT_MAX = CHUNK_SIZE * CHUNK_COUNT;

    private record Place<T>(long handle, T value) {}

    private final AtomicReferenceArray<AtomicReferenceArray<Place<T>>> chunks = new AtomicReferenceArray<>(CHUNK_COUNT);
    private final ConcurrentLinkedQueue<Long> free = new ConcurrentLinkedQueue<>();
    private final AtomicInteger placesUsed = new AtomicInteger();

    /**
     * Takes a value in; answers its handle, or 0 if the table is full.
     */
    long add(T value) {
        Long before = free.poll();
        long handle;
        if (before != null) {
            handle = before + (1L << Integer.SIZE);
        } else {
            int place = placesUsed.getAndUpdate(used -> Math.min(used + 1, HANDLE_COUNT_MAX));
            if (place == HANDLE_COUNT_MAX) {
                return 0;
            }
            handle = place + 1L;
        }
        chunk(handle).set(index(handle), new Place<>(handle, value));
        return handle;
    }

    /** The value of a handle, or null if it is none. */
    T get(long handle) {
        Place<T> place = place(handle);
        return place == null || place.handle() != handle ? null : place.value();
    }

    /** A value that is as asked for, or null; looks at all of them. */
    T find(Predicate<T> asked) {
        for (long handle = placesUsed.get(); handle > 0; handle--) {
            Place<T> place = place(handle);
            if (place != null && asked.test(place.value())) {
                return place.value();
            }
        }
        return null;
    }

    /** Ends a handle; answers its value, or null if it was none: of two that ask, one gets it. */
    T remove(long handle) {
        Place<T> place = place(handle);
        if (place == null || place.handle() != handle || !chunk(handle).compareAndSet(index(handle), place, null)) {
            return null;
        }
        free.add(handle);
        return place.value();
    }

    /** Handles that have not ended; takes as long as there are free ones. */
    int count() {
        return placesUsed.get() - free.size();
    }

    private Place<T> place(long handle) {
        int place = (int) handle - 1;
        if (place < 0 || place >= placesUsed.get()) {
            return null;
        }
        return chunk(handle).get(index(handle));
    }

    private static int index(long handle) {
        return ((int) handle - 1) & (CHUNK_SIZE - 1);
    }

    private AtomicReferenceArray<Place<T>> chunk(long handle) {
        int number = ((int) handle - 1) >>> CHUNK_BITS;
        AtomicReferenceArray<Place<T>> chunk = chunks.get(number);
        if (chunk == null) {
            chunks.compareAndSet(number, null, new AtomicReferenceArray<>(CHUNK_SIZE));
            chunk = chunks.get(number);
        }
        return chunk;
    }
}
