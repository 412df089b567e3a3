package org.octofs.rpc.fabric.ring;

import static org.octofs.rpc.fabric.ring.ArrivalRingLayout.CONNECTION_SHIFT;
import static org.octofs.rpc.fabric.ring.ArrivalRingLayout.ENTRIES_OFFSET;
import static org.octofs.rpc.fabric.ring.ArrivalRingLayout.ENTRY_BYTES;
import static org.octofs.rpc.fabric.ring.ArrivalRingLayout.ENTRY_COUNT_OFFSET;
import static org.octofs.rpc.fabric.ring.ArrivalRingLayout.HEAD_OFFSET;
import static org.octofs.rpc.fabric.ring.ArrivalRingLayout.LAP_MASK;
import static org.octofs.rpc.fabric.ring.ArrivalRingLayout.LAP_SHIFT;
import static org.octofs.rpc.fabric.ring.ArrivalRingLayout.MAGIC;
import static org.octofs.rpc.fabric.ring.ArrivalRingLayout.MAGIC_OFFSET;
import static org.octofs.rpc.fabric.ring.ArrivalRingLayout.SLEEPING_OFFSET;
import static org.octofs.rpc.fabric.ring.ArrivalRingLayout.TAIL_OFFSET;
import static org.octofs.rpc.fabric.ring.ArrivalRingLayout.VERSION;
import static org.octofs.rpc.fabric.ring.ArrivalRingLayout.VERSION_OFFSET;
import static org.octofs.rpc.fabric.ring.ArrivalRingLayout.WAKE_COUNT_OFFSET;
import static org.octofs.rpc.fabric.ring.ArrivalRingLayout.emptyWord;
import static org.octofs.rpc.fabric.ring.ArrivalRingLayout.fullWord;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.octofs.rpc.fabric.host.Futex;

/**
 * Both ends of an arrival ring.
 *
 * <p>Invariants: entries are consumed in the order of their compare-and-swaps, which per producer is its program order.
 * The memory is shared with processes that may be broken, so nothing read from it is used as an address and no loop on
 * it is unbounded.
 *
 * <p>Threading: {@link #push} any thread of any process; the methods of the owner one thread at a time. Ownership: the
 * memory is the creator's.
 */
public final class ArrivalRing {
    /** Answer of {@link #pollWord} when there is nothing. No full word is zero. */
    public static final long NOTHING = 0;

    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private final MemorySegment memory;
    private final int entryCount;
    private final int lapShift;
    private long head;
    private long damagedCount;

    private ArrivalRing(MemorySegment memory, int entryCount) {
        this.memory = memory;
        this.entryCount = entryCount;
        this.lapShift = Integer.numberOfTrailingZeros(entryCount);
    }

    /** Makes a ring in zeroed memory of {@link ArrivalRingLayout#sizeBytes}. */
    public static ArrivalRing create(MemorySegment zeroedMemory, int entryCount) {
        zeroedMemory.set(ValueLayout.JAVA_INT, VERSION_OFFSET, VERSION);
        zeroedMemory.set(ValueLayout.JAVA_INT, ENTRY_COUNT_OFFSET, entryCount);
        LONG.setRelease(zeroedMemory, (long) MAGIC_OFFSET, MAGIC);
        return new ArrivalRing(zeroedMemory, entryCount);
    }

    /**
     * Opens the ring of another process for pushing.
     *
     * @throws IllegalArgumentException if the memory does not hold a ring of this version and size
     */
    public static ArrivalRing open(MemorySegment memory) {
        long magic = (long) LONG.getAcquire(memory, (long) MAGIC_OFFSET);
        int version = memory.get(ValueLayout.JAVA_INT, VERSION_OFFSET);
        int entryCount = memory.get(ValueLayout.JAVA_INT, ENTRY_COUNT_OFFSET);
        if (magic != MAGIC || version != VERSION) {
            throw new IllegalArgumentException("no arrival ring of version " + VERSION + ": magic "
                    + Long.toHexString(magic) + ", version " + version);
        }
        if (Integer.bitCount(entryCount) != 1
                || entryCount < 2
                || ArrivalRingLayout.sizeBytes(entryCount) > memory.byteSize()) {
            throw new IllegalArgumentException(
                    "arrival ring of " + entryCount + " entries in " + memory.byteSize() + " bytes");
        }
        return new ArrivalRing(memory, entryCount);
    }

    /**
     * Publishes an arrival and wakes the owner if it sleeps. Everything stored before is visible to the owner when it
     * sees the arrival.
     *
     * @return false when the ring is full
     */
    public boolean push(int connectionIndex, int immediate) {
        // Every round either publishes, moves the tail or sees that somebody else did; a sane ring needs few.
        for (int round = 0; round < 4 * entryCount; round++) {
            long tail = (long) LONG.getVolatile(memory, (long) TAIL_OFFSET);
            long lap = tail >>> lapShift;
            long slotOffset = slotOffset(tail);
            long word = (long) LONG.getVolatile(memory, slotOffset);
            long empty = emptyWord(lap);
            if (word == empty) {
                if (LONG.compareAndSet(memory, slotOffset, empty, fullWord(lap, connectionIndex, immediate))) {
                    LONG.compareAndSet(memory, (long) TAIL_OFFSET, tail, tail + 1);
                    wakeSleeper();
                    return true;
                }
            } else if (word < 0 && lapOf(word) == ((lap - 1) & LAP_MASK)) {
                if ((long) LONG.getVolatile(memory, (long) TAIL_OFFSET) == tail) {
                    return false; // not consumed since the lap before
                }
            } else {
                // Published, but its producer has not moved the tail yet, and may never: help.
                LONG.compareAndSet(memory, (long) TAIL_OFFSET, tail, tail + 1);
            }
        }
        return false;
    }

    /** Number of entries that the owner has consumed, for a producer that waits for room. */
    public long consumedCount() {
        return (long) LONG.getVolatile(memory, (long) HEAD_OFFSET);
    }

    /** Owner: a position that every arrival published so far is below. */
    public long publishedCount() {
        // The tail word may lag behind by the entries whose producers are just about to move it.
        long tail = (long) LONG.getVolatile(memory, (long) TAIL_OFFSET);
        for (int i = 0; i < entryCount; i++) {
            long word = (long) LONG.getVolatile(memory, slotOffset(tail));
            if (word >= 0 || lapOf(word) != ((tail >>> lapShift) & LAP_MASK)) {
                return tail;
            }
            tail++;
        }
        return tail;
    }

    /** Owner: number of entries consumed. */
    public long head() {
        return head;
    }

    /** Owner: true when there is an arrival. */
    public boolean hasArrival() {
        return (long) LONG.getAcquire(memory, slotOffset(head)) != emptyWord(head >>> lapShift);
    }

    /** Owner: takes the oldest arrival, {@link #NOTHING} if there is none. */
    public long pollWord() {
        long lap = head >>> lapShift;
        long slotOffset = slotOffset(head);
        long word = (long) LONG.getAcquire(memory, slotOffset);
        if (word == emptyWord(lap)) {
            return NOTHING;
        }
        if (word >= 0 || lapOf(word) != (lap & LAP_MASK)) {
            // No producer writes this. Mend the slot, or the ring would stop here for good.
            damagedCount++;
            LONG.setVolatile(memory, slotOffset, emptyWord(lap));
            return NOTHING;
        }
        LONG.setVolatile(memory, slotOffset, emptyWord(lap + 1));
        head++;
        LONG.setRelease(memory, (long) HEAD_OFFSET, head);
        return word;
    }

    /** Connection index of a polled word. */
    public static int connectionIndexOf(long word) {
        return (int) (word >>> CONNECTION_SHIFT) & (ArrivalRingLayout.CONNECTION_INDEX_LIMIT - 1);
    }

    /** Immediate of a polled word. */
    public static int immediateOf(long word) {
        return (int) word;
    }

    /** Owner: number of slots that had to be mended because somebody wrote nonsense. */
    public long damagedCount() {
        return damagedCount;
    }

    /**
     * Owner: announces that it is about to sleep. Look for arrivals once more before {@link #sleep}: whoever publishes
     * from now on raises the wake count, so that the sleep does not begin.
     *
     * @return what to give to {@link #sleep}
     */
    public int prepareToSleep() {
        int wakeCount = (int) INT.getVolatile(memory, (long) WAKE_COUNT_OFFSET);
        INT.setVolatile(memory, (long) SLEEPING_OFFSET, 1);
        VarHandle.fullFence(); // the flag before the last look at the slots
        return wakeCount;
    }

    /** Owner: sleeps until a wake-up since {@link #prepareToSleep}, at most for a time; spurious returns happen. */
    public void sleep(int wakeCount, MemorySegment timeout, long nanos) {
        Futex.sleep(memory.address() + WAKE_COUNT_OFFSET, wakeCount, timeout, nanos);
    }

    /** Owner: is awake again. */
    public void awake() {
        INT.setVolatile(memory, (long) SLEEPING_OFFSET, 0);
    }

    /** Wakes the owner if it sleeps or is about to. */
    public void wakeSleeper() {
        VarHandle.fullFence(); // the published entry before the look at the flag
        if ((int) INT.getVolatile(memory, (long) SLEEPING_OFFSET) != 0) {
            // The flag is the owner's: clearing it here would lose the wake-up of the next producer.
            int ignored = (int) INT.getAndAdd(memory, (long) WAKE_COUNT_OFFSET, 1);
            Futex.wake(memory.address() + WAKE_COUNT_OFFSET, 1);
        }
    }

    private long slotOffset(long position) {
        return ENTRIES_OFFSET + (position & (entryCount - 1)) * ENTRY_BYTES;
    }

    private static long lapOf(long word) {
        return (word >>> LAP_SHIFT) & LAP_MASK;
    }
}
