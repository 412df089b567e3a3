package org.octofs.rpc.fabric.ring;

/**
 * Memory of an arrival ring, shared between processes of one host. Native byte order; all words naturally aligned.
 *
 * <pre>
 *    0  magic u64        written by the owner, before anybody else sees the ring
 *    8  version u32
 *   12  entry count u32  a power of two
 *   64  tail u64         producers: number of entries ever published, or a little less
 *  128  head u64         owner: number of entries ever consumed, or a little less
 *  192  sleeping u32     owner: 1 while it sleeps or is about to; nobody else ever clears it
 *  256  wake count u32   producers: raised by each wake-up; the futex word
 * 4096  entries          u64 each
 * </pre>
 *
 * <p>An entry is one word, so that one compare-and-swap publishes it: a producer that is killed between any two
 * instructions has either published or not, and leaves no hole that would stop the ring for all.
 *
 * <pre>
 *  bits  0..31  immediate
 *  bits 32..47  connection index at the owner
 *  bits 48..62  lap of the ring, modulo 2^15
 *  bit  63      1 full, 0 empty (then immediate and index are zero)
 * </pre>
 *
 * A slot goes from empty in lap n to full in lap n (a producer) to empty in lap n + 1 (the owner). The lap keeps a
 * producer that slept for a whole lap from publishing where the ring is no longer; one that slept for exactly a multiple
 * of 2^15 laps would have its entry read late, which is harmless.
 */
public final class ArrivalRingLayout {
    /** "OCTORING". */
    public static final long MAGIC = 0x474E_4952_4F54_434FL;

    /** Version of this layout. */
    public static final int VERSION = 1;

    /** u64. */
    public static final int MAGIC_OFFSET = 0;

    /** u32. */
    public static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;

    /** u32. */
    public static final int ENTRY_COUNT_OFFSET = VERSION_OFFSET + Integer.BYTES;

    /** u64, a cache line of its own. */
    public static final int TAIL_OFFSET = 64;

    /** u64, a cache line of its own. */
    public static final int HEAD_OFFSET = TAIL_OFFSET + 64;

    /** u32, a cache line of its own. */
    public static final int SLEEPING_OFFSET = HEAD_OFFSET + 64;

    /** u32, a cache line of its own. */
    public static final int WAKE_COUNT_OFFSET = SLEEPING_OFFSET + 64;

    /** First entry. */
    public static final int ENTRIES_OFFSET = 4096;

    /** Size of an entry. */
    public static final int ENTRY_BYTES = Long.BYTES;

    /** Connection indices are below this. */
    public static final int CONNECTION_INDEX_LIMIT = 1 << 16;

    static final int CONNECTION_SHIFT = 32;
    static final int LAP_SHIFT = 48;
    static final long LAP_MASK = 0x7FFF;
    static final long FULL_BIT = 1L << 63;

    private ArrivalRingLayout() {}

    /** Bytes of a ring. */
    public static long sizeBytes(int entryCount) {
        return ENTRIES_OFFSET + (long) entryCount * ENTRY_BYTES;
    }

    static long emptyWord(long lap) {
        return (lap & LAP_MASK) << LAP_SHIFT;
    }

    static long fullWord(long lap, int connectionIndex, int immediate) {
        return FULL_BIT | emptyWord(lap) | ((long) connectionIndex << CONNECTION_SHIFT) | (immediate & 0xFFFF_FFFFL);
    }
}
