package org.octofs.fuse.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;

/** Bytes of a file: chunks that are there, of pages that are there. Confined to the lock of its inode. */
final class SparseBytes {
    static final int PAGE_BYTES = 4096;
    private static final int PAGES_PER_CHUNK = 16;
    private static final int CHUNK_BYTES = PAGE_BYTES * PAGES_PER_CHUNK;

    private static final class Chunk {
        final byte[] bytes = new byte[CHUNK_BYTES];
        int pages;
    }

    private final TreeMap<Long, Chunk> chunks = new TreeMap<>();
    private long pageCount;

    long pageCount() {
        return pageCount;
    }

    /** Copies {@code size} bytes out; holes are zeros. */
    void read(long offset, MemorySegment target, long targetOffset, int size) {
        for (int done = 0; done < size; ) {
            long at = offset + done;
            int inChunk = (int) (at % CHUNK_BYTES);
            int part = Math.min(size - done, CHUNK_BYTES - inChunk);
            Chunk chunk = chunks.get(at / CHUNK_BYTES);
            if (chunk == null) {
                target.asSlice(targetOffset + done, part).fill((byte) 0);
            } else {
                MemorySegment.copy(chunk.bytes, inChunk, target, ValueLayout.JAVA_BYTE, targetOffset + done, part);
            }
            done += part;
        }
    }

    void write(long offset, MemorySegment source, long sourceOffset, int size) {
        for (int done = 0; done < size; ) {
            long at = offset + done;
            int inChunk = (int) (at % CHUNK_BYTES);
            int part = Math.min(size - done, CHUNK_BYTES - inChunk);
            Chunk chunk = present(at, part);
            MemorySegment.copy(source, ValueLayout.JAVA_BYTE, sourceOffset + done, chunk.bytes, inChunk, part);
            done += part;
        }
    }

    /** Makes sure of the pages of a range. */
    void allocate(long offset, long length) {
        for (long done = 0; done < length; ) {
            long at = offset + done;
            int part = (int) Math.min(length - done, CHUNK_BYTES - at % CHUNK_BYTES);
            present(at, part);
            done += part;
        }
    }

    private Chunk present(long at, int size) {
        Chunk chunk = chunks.computeIfAbsent(at / CHUNK_BYTES, ignored -> new Chunk());
        int first = (int) (at % CHUNK_BYTES) / PAGE_BYTES;
        int last = (int) ((at + size - 1) % CHUNK_BYTES) / PAGE_BYTES;
        int before = Integer.bitCount(chunk.pages);
        chunk.pages |= (1 << (last + 1)) - (1 << first);
        pageCount += Integer.bitCount(chunk.pages) - before;
        return chunk;
    }

    /** Makes a range zeros; pages wholly in it go if {@code free}. {@code end} is exclusive. */
    void zero(long start, long end, boolean free) {
        if (start >= end) {
            return;
        }
        Iterator<Map.Entry<Long, Chunk>> touched = chunks.subMap(
                        start / CHUNK_BYTES, true, (end - 1) / CHUNK_BYTES, true)
                .entrySet()
                .iterator();
        while (touched.hasNext()) {
            Map.Entry<Long, Chunk> entry = touched.next();
            Chunk chunk = entry.getValue();
            long base = entry.getKey() * CHUNK_BYTES;
            for (int page = 0; page < PAGES_PER_CHUNK; page++) {
                long pageStart = base + (long) page * PAGE_BYTES;
                long from = Math.max(start, pageStart);
                // Written so that the last page before 2^63 does not overflow.
                long to = Math.min(end - pageStart, PAGE_BYTES) + pageStart;
                if (from < to) {
                    java.util.Arrays.fill(chunk.bytes, (int) (from - base), (int) (to - base), (byte) 0);
                    if (free && to - from == PAGE_BYTES && (chunk.pages & 1 << page) != 0) {
                        chunk.pages &= ~(1 << page);
                        pageCount--;
                    }
                }
            }
            if (chunk.pages == 0) {
                touched.remove();
            }
        }
    }

    /** Drops everything from {@code size} on. */
    void truncate(long size) {
        long pageEnd = (size + PAGE_BYTES - 1) & -PAGE_BYTES;
        if (pageEnd < size) {
            pageEnd = Long.MAX_VALUE;
        }
        zero(size, pageEnd, false);
        zero(pageEnd, Long.MAX_VALUE, true);
    }

    void clear() {
        chunks.clear();
        pageCount = 0;
    }
}
