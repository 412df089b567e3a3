package org.octofs.server.store;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.octofs.pmem.PoolCorruptException;
import org.octofs.pmem.PoolFullException;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.log.LogRecord;
import org.octofs.pmem.log.RedoLog;
import org.octofs.pmem.medium.PmemMedium;

/**
 * The METADATA zone as pages and slots, with the PAGE_TABLE zone that says what each page is.
 * Threading:  confined to the worker.
 * Ownership:  borrows medium and log; owns the DRAM maps of what is free.
 * Durability: a page's kind is durable when {@link #allocateSlot} returns; what is in a slot is the transaction's business.
 * Limits:     {@link PoolFullException} when no page is left, also after a checkpoint.
 *
 * <p>A slot is named by its pool offset where it is persistent, and by an int <em>reference</em> where DRAM counts:
 * page number × 32 + slot + 1, 0 = none.
 */
public final class MetaStore {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int SLOT_BITS = 5;
    private static final int EMPTY_PAGES_PER_SWEEP = 64;

    private final PmemMedium medium;
    private final MemorySegment memory;
    private final RedoLog log;
    private final long metadataOffset;
    private final long pageTableOffset;
    private final PageAllocator pages;
    private final int[] emptyPages = new int[EMPTY_PAGES_PER_SWEEP];

    final DeferredAction restPage = this::restPage;
    final DeferredAction putBackPage = this::putBackPage;
    final DeferredAction freeSlot = this::freeSlotNow;

    /** Maps the zones; everything counts as used until recovery has said otherwise. */
    public MetaStore(PmemMedium medium, RedoLog log, Zone metadata, Zone pageTable) {
        long pageCount = Math.min(metadata.lengthBytes() / PageKind.PAGE_BYTES, pageTable.lengthBytes() / Long.BYTES);
        if (pageCount > 1 << 26) {
            throw new IllegalArgumentException("a METADATA zone of " + metadata.lengthBytes()
                    + " bytes has more pages than a slot reference can name");
        }
        this.medium = medium;
        this.memory = medium.memory();
        this.log = log;
        this.metadataOffset = metadata.offset();
        this.pageTableOffset = pageTable.offset();
        this.pages = new PageAllocator((int) pageCount);
    }

    public PmemMedium medium() {
        return medium;
    }

    public RedoLog log() {
        return log;
    }

    /** The whole pool, for reads. */
    public MemorySegment memory() {
        return memory;
    }

    public long readLong(long poolOffset) {
        return memory.get(LONG, poolOffset);
    }

    public int readInt(long poolOffset) {
        return memory.get(INT, poolOffset);
    }

    public int pageCount() {
        return pages.pageCount();
    }

    /** Pool offset of a page. */
    public long pageOffset(int page) {
        return metadataOffset + (long) page * PageKind.PAGE_BYTES;
    }

    /** The page that a pool offset lies in. */
    public int pageOf(long poolOffset) {
        long page = (poolOffset - metadataOffset) / PageKind.PAGE_BYTES;
        if (poolOffset < metadataOffset || page >= pages.pageCount()) {
            throw new PoolCorruptException("reference outside of the METADATA zone", poolOffset, metadataOffset, page);
        }
        return (int) page;
    }

    /** See {@link PageKind}; {@link PageKind#REACHED} for pages in use without slots. */
    public int pageKind(int page) {
        return pages.kind(page);
    }

    /** The kind that the media have for a page. */
    public int pageKindOnMedia(int page) {
        return (int) (readLong(pageTableOffset + (long) page * Long.BYTES) & 0xFF);
    }

    /** The reference of the slot at a pool offset. */
    public int slotReference(long slotOffset) {
        int page = pageOf(slotOffset);
        int slot = (int) (slotOffset - pageOffset(page)) / PageKind.slotBytes(pages.kind(page));
        return (page << SLOT_BITS | slot) + 1;
    }

    /** The pool offset of a slot. */
    public long slotOffset(int reference) {
        int page = (reference - 1) >>> SLOT_BITS;
        int slot = (reference - 1) & ((1 << SLOT_BITS) - 1);
        return pageOffset(page) + (long) slot * PageKind.slotBytes(pages.kind(page));
    }

    /**
     * Takes a free slot; its content is an old one with a magic word of 0, or zeros.
     *
     * @param kind one of the kinds with slots
     * @return pool offset
     * @throws PoolFullException if there is no page left to make slots of
     */
    public long allocateSlot(int kind) {
        if (!pages.hasFreeSlot(kind)) {
            addSlotPage(kind);
        }
        int taken = pages.takeSlot(kind);
        return pageOffset(taken >>> SLOT_BITS) + (long) (taken & ((1 << SLOT_BITS) - 1)) * PageKind.slotBytes(kind);
    }

    /** Makes a slot available at once; for one that was allocated and never staged. */
    public void freeSlot(long slotOffset) {
        freeSlotNow(slotOffset, 0);
    }

    /**
     * Takes a page for content that is found by reference. The page's old content is arbitrary; write it directly and flush
     * it before the record that links it is appended.
     *
     * @return pool offset
     * @throws PoolFullException if there is none
     */
    public long allocatePage() {
        int page = takePage();
        pages.setKind(page, PageKind.REACHED);
        return pageOffset(page);
    }

    /** Pages that could be allocated now. */
    public int freePageCount() {
        return pages.freePageCount();
    }

    /** Free slots of a kind in pages that have been made for it. */
    public long freeSlotCount(int kind) {
        return pages.freeSlotCount(kind);
    }

    /** Empties the log and makes the pages that were freed since the last time available again. */
    public void checkpoint() {
        log.checkpoint();
        pages.checkpointed();
    }

    // ------------------------------------------------------------------------------------------------ recovery

    /** Recovery begins: nothing is known. */
    public void beginRecovery() {
        pages.reset();
    }

    /** Recovery knows of a page that it has slots; {@link #recoverSlotPage} follows. */
    public void recoverPageKind(int page, int kind) {
        pages.setKind(page, kind);
    }

    /** Recovery has looked at a page with slots: those in {@code freeMask} are free. */
    public void recoverSlotPage(int page, int kind, int freeMask) {
        pages.addSlotPage(page, kind, freeMask);
    }

    /**
     * Recovery has followed a reference to a page.
     *
     * @throws PoolCorruptException if the page is something else, or was reached before
     */
    public void recoverReachedPage(long poolOffset) {
        int page = pageOf(poolOffset);
        if (poolOffset % PageKind.PAGE_BYTES != 0 || pages.kind(page) != PageKind.FREE) {
            throw new PoolCorruptException(
                    "metadata page is referenced twice, or is no free-standing page",
                    poolOffset,
                    PageKind.FREE,
                    pages.kind(page));
        }
        pages.setKind(page, PageKind.REACHED);
    }

    /** Recovery is over: pages neither with slots nor reached are free. */
    public void endRecovery() {
        pages.collectFreePages();
    }

    // ------------------------------------------------------------------------------------------------ inside

    private void addSlotPage(int kind) {
        int page = takePage();
        long offset = pageOffset(page);
        medium.fill(offset, PageKind.PAGE_BYTES, (byte) 0);
        medium.flush(offset, PageKind.PAGE_BYTES);
        // Fence: the record may become durable before its own fence, and must not turn old content into slots.
        medium.fence();
        LogRecord record = log.begin(RecordType.PAGE);
        record.updateLong(pageTableOffset + (long) page * Long.BYTES, kind);
        log.commit(record);
        log.apply(record);
        pages.addSlotPage(page, kind, PageAllocator.fullMask(kind));
    }

    private int takePage() {
        int page = pages.takePage();
        if (page == PageAllocator.NONE) {
            releaseEmptyDentryPages();
            checkpoint();
            page = pages.takePage();
            if (page == PageAllocator.NONE) {
                throw new PoolFullException("the METADATA zone is full: " + pages.pageCount() + " pages in use");
            }
        }
        return page;
    }

    private void releaseEmptyDentryPages() {
        for (int kind = PageKind.DENTRY_SMALL; kind <= PageKind.DENTRY_LARGE; kind++) {
            int found = pages.takeEmptyPages(kind, emptyPages);
            if (found > 0) {
                LogRecord record = log.begin(RecordType.PAGE);
                for (int i = 0; i < found; i++) {
                    record.updateLong(pageTableOffset + (long) emptyPages[i] * Long.BYTES, PageKind.FREE);
                }
                log.commit(record);
                log.apply(record);
                for (int i = 0; i < found; i++) {
                    pages.rest(emptyPages[i]);
                }
            }
        }
    }

    private void restPage(long pageOffset, long unused) {
        pages.rest(pageOf(pageOffset));
    }

    private void putBackPage(long pageOffset, long unused) {
        pages.putBack(pageOf(pageOffset));
    }

    private void freeSlotNow(long slotOffset, long unused) {
        int reference = slotReference(slotOffset) - 1;
        pages.freeSlot(reference >>> SLOT_BITS, reference & ((1 << SLOT_BITS) - 1));
    }
}
