package org.octofs.pmem.layout;

/**
 * Where one part of a pool lies.
 *
 * @param offset pool offset in bytes, a multiple of 4 KiB
 * @param lengthBytes its length, a multiple of 4 KiB
 */
public record Zone(ZoneKind kind, long offset, long lengthBytes) {
    /** Pool offset of the first byte behind it. */
    public long endOffset() {
        return offset + lengthBytes;
    }

    /** Whether the range lies wholly inside. */
    public boolean contains(long poolOffset, long rangeLengthBytes) {
        return rangeLengthBytes >= 0
                && rangeLengthBytes <= lengthBytes
                && poolOffset >= offset
                && poolOffset <= endOffset() - rangeLengthBytes;
    }
}
