package org.octofs.server.space;

import java.util.Arrays;

/**
 * Bitmaps of chunks: 256 bits each, one per block, 1 = busy. A chunk is 1 MiB of a data zone, aligned to 1 MiB.
 *
 * <p>Threading: confined to the owner. Durability: none. Limits: about 67 million chunks (64 TiB of blocks).
 */
final class BlockBits {
    /** Blocks of a chunk. */
    static final int CHUNK_BLOCKS = 256;

    private static final int WORD_SHIFT = 6;
    private static final int WORDS_PER_CHUNK = CHUNK_BLOCKS >> WORD_SHIFT;

    private long[] words = new long[64 * WORDS_PER_CHUNK];

    /** Makes room for chunk {@code chunk} and clears all its bits. */
    void clearChunk(int chunk) {
        int end = (chunk + 1) * WORDS_PER_CHUNK;
        if (end > words.length) {
            words = Arrays.copyOf(words, Math.max(end, words.length * 2));
        }
        Arrays.fill(words, chunk * WORDS_PER_CHUNK, end, 0L);
    }

    /** Sets bits that must all be clear. @return false, and nothing is changed, if one was set */
    boolean set(int chunk, int from, int count) {
        if (nextSet(chunk, from, from + count) < from + count) {
            return false;
        }
        for (int at = from, end = from + count; at < end; ) {
            long mask = mask(at, end);
            words[wordIndex(chunk, at)] |= mask;
            at += Long.bitCount(mask);
        }
        return true;
    }

    /** Clears bits that must all be set. @return false, and nothing is changed, if one was clear */
    boolean clear(int chunk, int from, int count) {
        if (nextClear(chunk, from, from + count) < from + count) {
            return false;
        }
        for (int at = from, end = from + count; at < end; ) {
            long mask = mask(at, end);
            words[wordIndex(chunk, at)] &= ~mask;
            at += Long.bitCount(mask);
        }
        return true;
    }

    /** First set bit in [from, limit), else {@code limit}. */
    int nextSet(int chunk, int from, int limit) {
        return next(chunk, from, limit, 0L);
    }

    /** First clear bit in [from, limit), else {@code limit}. */
    int nextClear(int chunk, int from, int limit) {
        return next(chunk, from, limit, -1L);
    }

    private int next(int chunk, int from, int limit, long flip) {
        for (int at = from; at < limit; at = (at | 63) + 1) {
            long word = (words[wordIndex(chunk, at)] ^ flip) >>> (at & 63);
            if (word != 0) {
                return Math.min(at + Long.numberOfTrailingZeros(word), limit);
            }
        }
        return limit;
    }

    private static int wordIndex(int chunk, int at) {
        return chunk * WORDS_PER_CHUNK + (at >> WORD_SHIFT);
    }

    /** The bits of [at, end) that lie in the word of {@code at}; always a run that begins at {@code at}. */
    private static long mask(int at, int end) {
        int count = Math.min(end - at, 64 - (at & 63));
        return (-1L >>> (64 - count)) << (at & 63);
    }
}
