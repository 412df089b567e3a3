package org.octofs.server.store;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.octofs.pmem.PoolCorruptException;

/**
 * Byte strings of any length up to {@link #BYTES_MAX} in chains of metadata pages: extended attributes, long symlink targets.
 * Never changed in place: a new version is written beside the old one, and the transaction switches the reference.
 *
 * <p>A page: u64 pool offset of the next page (0 = last), u32 bytes in this page, u32 CRC32C of these two and the
 * bytes, then the bytes. Little-endian.
 * Threading:  confined to the worker.
 * Durability: pages are flushed when {@link #write} returns, and durable with the caller's transaction.
 */
public final class BlobStore {
    /** Longest byte string. */
    public static final int BYTES_MAX = 256 << 10;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int NEXT_OFFSET = 0;
    private static final int LENGTH_OFFSET = NEXT_OFFSET + Long.BYTES;
    private static final int CHECKSUM_OFFSET = LENGTH_OFFSET + Integer.BYTES;
    private static final int HEADER_BYTES = CHECKSUM_OFFSET + Integer.BYTES;
    private static final int DATA_BYTES = PageKind.PAGE_BYTES - HEADER_BYTES;

    private final MetaStore store;
    private final MemorySegment memory;
    private final byte[] page = new byte[PageKind.PAGE_BYTES];
    private final MemorySegment pageSegment = MemorySegment.ofArray(page);
    private final CRC32C crc = new CRC32C();

    /** Blobs in a store's pages. */
    public BlobStore(MetaStore store) {
        this.store = store;
        this.memory = store.memory();
    }

    /**
     * Writes a byte string into fresh pages.
     *
     * @return its root, to be stored by {@code tx}; the pages are given back if that is aborted
     */
    public long write(MetaTransaction tx, byte[] bytes, int lengthBytes) {
        int pages = Math.max(1, (lengthBytes + DATA_BYTES - 1) / DATA_BYTES);
        long next = 0;
        // Last page first, so that each knows its successor.
        for (int i = pages - 1; i >= 0; i--) {
            int from = i * DATA_BYTES;
            int count = Math.min(DATA_BYTES, lengthBytes - from);
            long offset = tx.allocatePage();
            pageSegment.set(LONG, NEXT_OFFSET, next);
            pageSegment.set(INT, LENGTH_OFFSET, count);
            System.arraycopy(bytes, from, page, HEADER_BYTES, count);
            pageSegment.set(INT, CHECKSUM_OFFSET, checksum(count));
            store.medium().copy(offset, pageSegment, 0, HEADER_BYTES + count);
            store.medium().flush(offset, HEADER_BYTES + count);
            next = offset;
        }
        return next;
    }

    /**
     * Reads a byte string.
     *
     * @param target at least {@link #BYTES_MAX} bytes
     * @return its length
     */
    public int read(long root, byte[] target) {
        int length = 0;
        for (long offset = root; offset != 0; offset = load(offset)) {
            int count = checkedLength(offset, length);
            MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset + HEADER_BYTES, target, length, count);
            length += count;
        }
        return length;
    }

    /** Stages the release of all pages. */
    public void free(MetaTransaction tx, long root) {
        int length = 0;
        for (long offset = root; offset != 0; offset = load(offset)) {
            length += checkedLength(offset, length);
            tx.freePage(offset);
        }
    }

    /** Recovery: marks all pages as used, checking them. */
    public void recover(long root) {
        int length = 0;
        for (long offset = root; offset != 0; offset = load(offset)) {
            store.recoverReachedPage(offset);
            length += checkedLength(offset, length);
        }
    }

    /** Checks a page and answers its successor. */
    private long load(long offset) {
        int count = memory.get(INT, offset + LENGTH_OFFSET);
        MemorySegment.copy(memory, offset, pageSegment, 0, HEADER_BYTES + count);
        int found = memory.get(INT, offset + CHECKSUM_OFFSET);
        int expected = checksum(count);
        if (found != expected) {
            throw new PoolCorruptException(
                    "checksum of a blob page", offset + CHECKSUM_OFFSET, expected & 0xFFFF_FFFFL, found & 0xFFFF_FFFFL);
        }
        return pageSegment.get(LONG, NEXT_OFFSET);
    }

    private int checkedLength(long offset, int before) {
        store.pageOf(offset);
        int count = memory.get(INT, offset + LENGTH_OFFSET);
        if (count < 0 || count > DATA_BYTES || before + count > BYTES_MAX) {
            throw new PoolCorruptException("length in a blob page", offset + LENGTH_OFFSET, DATA_BYTES, count);
        }
        return count;
    }

    private int checksum(int count) {
        crc.reset();
        crc.update(page, NEXT_OFFSET, CHECKSUM_OFFSET);
        crc.update(page, HEADER_BYTES, count);
        return (int) crc.getValue();
    }
}
