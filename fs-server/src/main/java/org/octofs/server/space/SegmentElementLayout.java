package org.octofs.server.space;

/** One element of the SEGMENT messages: {@code | segmentIndex u32 | shard u32 |}, 8 bytes, little-endian. */
final class SegmentElementLayout {
    /** u32, index of the segment in the data zone of the node that owns the table. */
    static final int INDEX_OFFSET = 0;

    /** u32, the shard that owns it. */
    static final int SHARD_OFFSET = INDEX_OFFSET + Integer.BYTES;

    /** Bytes of an element. */
    static final int SIZE_BYTES = SHARD_OFFSET + Integer.BYTES;

    private SegmentElementLayout() {}
}
