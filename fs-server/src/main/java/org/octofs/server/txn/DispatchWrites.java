package org.octofs.server.txn;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * What a coordinator writes into one participant's pool, in order; encoded as in the payload of its log record:
 *
 * <pre>
 * | release word's pool offset u64 | count u32 | 0 u32 | writes: | pool offset u64 | length u32 | 0 u32 | bytes, padded to 8 | |
 * </pre>
 *
 * An inode is two writes, the body and then its version word, since there is no order inside one write. The release word is
 * not among them: it depends on the participant's incarnation at the time, and goes last.
 * Threading: confined to the worker.
 */
public final class DispatchWrites {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int RELEASE_OFFSET_OFFSET = 0;
    private static final int COUNT_OFFSET = 8;
    private static final int FIXED_BYTES = 16;
    private static final int LENGTH_OFFSET = 8;
    private static final int HEADER_BYTES = 16;

    private byte[] bytes;
    private MemorySegment segment;
    private int used;
    private int count;
    private int[] positions = new int[8];

    /** No writes. */
    public DispatchWrites(long releaseOffset) {
        bytes = new byte[512];
        segment = MemorySegment.ofArray(bytes);
        segment.set(LONG, RELEASE_OFFSET_OFFSET, releaseOffset);
        used = FIXED_BYTES;
    }

    private DispatchWrites(byte[] encoded) {
        bytes = encoded;
        segment = MemorySegment.ofArray(bytes);
        used = encoded.length;
        int expected = segment.get(INT, COUNT_OFFSET);
        int at = FIXED_BYTES;
        for (int i = 0; i < expected; i++) {
            remember(at);
            at += HEADER_BYTES + padded(length(i));
        }
        if (at != used) {
            throw new IllegalStateException("a dispatch of " + used + " bytes ends at " + at);
        }
    }

    /** The writes in the payload of a log record. */
    public static DispatchWrites decode(MemorySegment payload) {
        return new DispatchWrites(payload.toArray(ValueLayout.JAVA_BYTE));
    }

    /** Appends a write. */
    public void add(long poolOffset, MemorySegment source, long sourceOffset, int lengthBytes) {
        int at = room(lengthBytes);
        segment.set(LONG, at, poolOffset);
        segment.set(INT, at + LENGTH_OFFSET, lengthBytes);
        segment.set(INT, at + LENGTH_OFFSET + Integer.BYTES, 0);
        MemorySegment.copy(source, sourceOffset, segment, at + HEADER_BYTES, lengthBytes);
    }

    /** Appends the write of one aligned word. */
    public void addLong(long poolOffset, long value) {
        int at = room(Long.BYTES);
        segment.set(LONG, at, poolOffset);
        segment.set(INT, at + LENGTH_OFFSET, Long.BYTES);
        segment.set(INT, at + LENGTH_OFFSET + Integer.BYTES, 0);
        segment.set(LONG, at + HEADER_BYTES, value);
    }

    /** Writes so far. */
    public int count() {
        return count;
    }

    public long poolOffset(int index) {
        return segment.get(LONG, positions[index]);
    }

    public int length(int index) {
        return segment.get(INT, positions[index] + LENGTH_OFFSET);
    }

    /** Where a write's bytes begin in {@link #segment()}. */
    public int position(int index) {
        return positions[index] + HEADER_BYTES;
    }

    /** Everything, encoded; only the first {@link #encodedBytes()} count. Changes when something is added. */
    public MemorySegment segment() {
        return segment;
    }

    public int encodedBytes() {
        return used;
    }

    /** Pool offset of the word that releases the lock. */
    public long releaseOffset() {
        return segment.get(LONG, RELEASE_OFFSET_OFFSET);
    }

    /** Bytes to take from {@link #segment} when everything is copied for posting, the release word last. */
    public DispatchWrites withRelease(long releaseWord) {
        DispatchWrites complete = new DispatchWrites(Arrays.copyOf(bytes, used));
        complete.addLong(releaseOffset(), releaseWord);
        return complete;
    }

    private int room(int lengthBytes) {
        int needed = used + HEADER_BYTES + padded(lengthBytes);
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(needed, bytes.length * 2));
            segment = MemorySegment.ofArray(bytes);
        }
        int at = used;
        remember(at);
        segment.asSlice(at, needed - at).fill((byte) 0);
        used = needed;
        segment.set(INT, COUNT_OFFSET, count);
        return at;
    }

    private void remember(int at) {
        if (count == positions.length) {
            positions = Arrays.copyOf(positions, count * 2);
        }
        positions[count++] = at;
    }

    private static int padded(int length) {
        return (length + 7) & ~7;
    }
}
