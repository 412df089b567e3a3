package org.octofs.server.check;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.octofs.server.store.BlobStore;
import org.octofs.server.store.PageKind;

/** Chains of pages with a byte string, see {@link BlobStore}. Confined to the check. */
final class Blobs {
    private static final int LENGTH_OFFSET = Long.BYTES;
    private static final int CHECKSUM_OFFSET = LENGTH_OFFSET + Integer.BYTES;
    private static final int HEADER_BYTES = CHECKSUM_OFFSET + Integer.BYTES;
    private static final int DATA_BYTES = PageKind.PAGE_BYTES - HEADER_BYTES;

    private final byte[] bytes = new byte[BlobStore.BYTES_MAX];
    private int length;

    /** The bytes of the blob that was checked last. */
    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    /** Reads a blob and marks its pages as reached. Answers what is wrong, empty if nothing. */
    String check(PoolView pool, long root) {
        length = 0;
        for (long offset = root; offset != 0; offset = pool.readLong(offset)) {
            int page = pool.pageAt(offset);
            if (page < 0) {
                return "pool offset " + offset + " is no metadata page";
            }
            if (pool.kind(page) != PageKind.FREE) {
                return "the page at " + offset + " is in use for something else as well";
            }
            int count = pool.readInt(offset + LENGTH_OFFSET);
            if (count < 0 || count > DATA_BYTES || length + count > bytes.length) {
                return "the page at " + offset + " claims to have " + count + " bytes";
            }
            MemorySegment page4k = pool.memory().asSlice(offset, PageKind.PAGE_BYTES);
            ByteBuffer image = page4k.asByteBuffer();
            CRC32C crc = new CRC32C();
            crc.update(image.duplicate().limit(CHECKSUM_OFFSET));
            crc.update(image.duplicate().position(HEADER_BYTES).limit(HEADER_BYTES + count));
            if ((int) crc.getValue() != pool.readInt(offset + CHECKSUM_OFFSET)) {
                return "the page at " + offset + " has a wrong checksum";
            }
            pool.kind(page, PageKind.REACHED);
            MemorySegment.copy(page4k, ValueLayout.JAVA_BYTE, HEADER_BYTES, bytes, length, count);
            length += count;
        }
        return "";
    }
}
