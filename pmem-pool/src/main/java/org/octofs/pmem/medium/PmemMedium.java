package org.octofs.pmem.medium;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * Byte-addressable persistent memory of one pool.
 * Threading:  any thread; a thread's fence makes durable what that same thread has flushed. The counters are exact only
 *             when one thread uses the medium.
 * Ownership:  the medium owns the mapping and the lock on the file; both end with {@link #close()}, which is idempotent.
 *             Segments got from {@link #memory()} throw when used after that.
 * Durability: <i>stored</i> is visible at once to every process that maps the file; <i>flushed</i> is on its way;
 *             <i>durable</i> only after {@link #fence()}. A line may become durable earlier, by eviction.
 * Limits:     offsets and lengths are checked against {@link #sizeBytes()} ({@link IndexOutOfBoundsException}).
 *
 * <p>All numbers are little-endian.
 */
public interface PmemMedium extends AutoCloseable {
    /** Size of a cache line: the unit of {@link #flush}. */
    int LINE_BYTES = 64;

    /**
     * Bulk copies go to native code in pieces of at most this many bytes, because a safepoint waits while such a call runs
     * (16 MiB cost 18 ms, 128 KiB cost 0.12 ms).
     */
    long BULK_PIECE_BYTES = 128 << 10;

    long sizeBytes();

    /** The whole mapping, for reads and for registration with a fabric. Stores made through it still need flush and fence. */
    MemorySegment memory();

    /** The file behind it, so that another process can map it; null for a medium that is only in this process. */
    Path path();

    /** For the start-up message: library, file system, page size, whether flushes are real. */
    String describe();

    void putByte(long offset, byte value);

    void putShort(long offset, short value);

    void putInt(long offset, int value);

    /** Stores a long; when {@code offset} is a multiple of 8 the store is atomic and has release semantics. */
    void putLong(long offset, long value);

    /** Copies with ordinary stores; needs flush and fence. */
    void copy(long offset, MemorySegment source, long sourceOffset, long lengthBytes);

    /** Copies past the cache; needs only {@link #fence()}. There is no order among the bytes before that fence. */
    void copyNonTemporal(long offset, MemorySegment source, long sourceOffset, long lengthBytes);

    /** Fills with ordinary or non-temporal stores, as the medium likes; needs flush and fence. */
    void fill(long offset, long lengthBytes, byte value);

    /** Starts writing back all lines that the range touches; the next fence waits for them. */
    void flush(long offset, long lengthBytes);

    /** When it returns, everything this thread has flushed (or copied non-temporally) is durable. */
    void fence();

    default void persist(long offset, long lengthBytes) {
        flush(offset, lengthBytes);
        fence();
    }

    MediumCounters counters();

    @Override
    void close();
}
