package org.octofs.server.recovery;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;
import org.octofs.pmem.PoolCorruptException;
import org.octofs.server.ops.ServerState;
import org.octofs.server.store.MetaStore;
import org.octofs.server.store.PageKind;

/**
 * Goes through all pages with slots of some kinds. Each page is copied out of the pool once and looked at in the copy: a start is over
 * before the compiler has made accesses to foreign memory fast, and those to an array are from the beginning.
 * Threading:  one thread at a time; two scans of different kinds may run at the same time.
 */
abstract class SlotScan {
    private static final int PAGES_PER_REPORT = 4096;

    final ServerState state;
    final MetaStore store;
    final MetadataRecovery.LockedSlots lockedSlots;
    /** The page that is looked at. */
    final byte[] page = new byte[PageKind.PAGE_BYTES];

    final UnsafeBuffer buffer = new UnsafeBuffer(page);
    private final MemorySegment pageSegment = MemorySegment.ofArray(page);
    private final CRC32C crc = new CRC32C();
    private final int kindFrom;
    private final int kindTo;
    private final String phase;
    private long touched;

    SlotScan(ServerState state, MetadataRecovery.LockedSlots lockedSlots, int kindFrom, int kindTo, String phase) {
        this.state = state;
        this.store = state.store();
        this.lockedSlots = lockedSlots;
        this.kindFrom = kindFrom;
        this.kindTo = kindTo;
        this.phase = phase;
    }

    /**
     * Loads the places of the indexes where the page's slots will go, all at the same time: they are read at random, and waiting for
     * them one by one would take longer than all the rest.
     *
     * @return a sum that means nothing, but keeps the loads
     */
    abstract long touch(int slotBytes, int slotCount);

    /**
     * Takes one slot into the indexes.
     *
     * @param slot its number in the page
     * @param at where it begins in {@link #page}
     * @param offset its pool offset
     * @return false if it is empty
     */
    abstract boolean recover(int slot, int at, long offset, int slotBytes);

    /** Everything of these kinds. @return a number that means nothing */
    final long run(RecoveryProgress progress) {
        int pageCount = store.pageCount();
        for (int number = 0; number < pageCount; number++) {
            int kind = store.pageKind(number);
            if (kind >= kindFrom && kind <= kindTo) {
                store.recoverSlotPage(number, kind, scan(number, kind));
            }
            if (number % PAGES_PER_REPORT == 0) {
                progress.advance(phase, number, pageCount);
            }
        }
        progress.advance(phase, pageCount, pageCount);
        return touched;
    }

    /** One page; answers which of its slots are free. */
    private int scan(int number, int kind) {
        int slotBytes = PageKind.slotBytes(kind);
        int slotCount = PageKind.slotCount(kind);
        long pageOffset = store.pageOffset(number);
        MemorySegment.copy(store.memory(), pageOffset, pageSegment, 0, PageKind.PAGE_BYTES);
        touched += touch(slotBytes, slotCount);
        int free = 0;
        int at = 0;
        for (int slot = 0; slot < slotCount; slot++) {
            long offset = pageOffset + at;
            if (!recover(slot, at, offset, slotBytes) && !lockedSlots.contains(offset)) {
                free |= 1 << slot;
            }
            at += slotBytes;
        }
        return free;
    }

    /** Compares a checksum with that of a part of the page. */
    final void check(String what, int found, int from, int lengthBytes, long where) {
        crc.reset();
        crc.update(page, from, lengthBytes);
        int expected = (int) crc.getValue();
        if (found != expected) {
            throw new PoolCorruptException(what, where, expected & 0xFFFF_FFFFL, found & 0xFFFF_FFFFL);
        }
    }
}
