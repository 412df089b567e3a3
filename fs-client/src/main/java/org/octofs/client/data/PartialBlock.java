package org.octofs.client.data;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.octofs.rpc.protocol.BlockLocation;

/**
 * A block of which only parts have been written: the written bytes, a bit for each, and the lent block that it will be
 * pushed to. What is not written comes from the committed block, at the latest moment. Guarded by the file's lock.
 */
final class PartialBlock {
    private static final int BYTES = BlockLocation.BLOCK_BYTES;
    private static final int WORDS = BYTES / Long.SIZE;

    final MemorySegment content = Arena.ofAuto().allocate(BYTES, BYTES);
    long fileBlock;

    /** Lent to us for this block. */
    long location;

    private final long[] written = new long[WORDS];
    private int writtenBytes;

    void begin(long newFileBlock, long newLocation) {
        fileBlock = newFileBlock;
        location = newLocation;
        Arrays.fill(written, 0);
        writtenBytes = 0;
    }

    /** All bytes are ours. */
    boolean isWhole() {
        return writtenBytes == BYTES;
    }

    void markWhole() {
        Arrays.fill(written, -1L);
        writtenBytes = BYTES;
    }

    /** Takes bytes [from, to) of the block. */
    void write(MemorySegment source, long sourceOffset, int from, int to) {
        MemorySegment.copy(source, sourceOffset, content, from, to - from);
        if (writtenBytes == BYTES) {
            return;
        }
        for (int word = from >> 6; word <= (to - 1) >> 6; word++) {
            int low = Math.max(from - (word << 6), 0);
            int high = Math.min(to - (word << 6), Long.SIZE);
            long bits = (high - low == Long.SIZE ? -1L : (1L << (high - low)) - 1) << low;
            writtenBytes += Long.bitCount(bits & ~written[word]);
            written[word] |= bits;
        }
    }

    /** Puts the bytes that were written over those of {@code base}. */
    void overlay(MemorySegment base, long baseOffset) {
        if (writtenBytes == BYTES) {
            MemorySegment.copy(content, 0, base, baseOffset, BYTES);
            return;
        }
        int from = 0;
        while ((from = next(from, true)) < BYTES) {
            int to = next(from, false);
            MemorySegment.copy(content, from, base, baseOffset + from, to - from);
            from = to;
        }
    }

    /** First byte from {@code from} on that is written, or is not; the block's length if there is none. */
    private int next(int from, boolean wanted) {
        int word = from >> 6;
        if (word >= WORDS) {
            return BYTES;
        }
        long bits = (wanted ? written[word] : ~written[word]) & -1L << (from & 63);
        while (bits == 0) {
            if (++word == WORDS) {
                return BYTES;
            }
            bits = wanted ? written[word] : ~written[word];
        }
        return (word << 6) + Long.numberOfTrailingZeros(bits);
    }
}
