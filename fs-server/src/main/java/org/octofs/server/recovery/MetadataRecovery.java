package org.octofs.server.recovery;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.LongAdder;
import java.util.zip.CRC32C;
import org.octofs.pmem.PoolCorruptException;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.server.namespace.DentryLayout;
import org.octofs.server.namespace.DentryTable;
import org.octofs.server.ops.ServerState;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaStore;
import org.octofs.server.store.PageKind;

/**
 * Rebuilds the indexes from the METADATA zone, after the log has been replayed: pages, then inodes with what they reference,
 * then dentries. Reads the metadata once.
 * Threading:  the worker's thread, before anything is served; a second one for the dentries of large pools.
 * Errors:     {@link PoolCorruptException} with the place and both values for a wrong checksum, a reference out of the zone, or
 *             anything that is there twice; nothing is changed on the media.
 */
public final class MetadataRecovery {
    private static final int PAGES_PER_REPORT = 4096;

    /** Below, a thread costs more than it saves. */
    private static final int SLOTS_FOR_TWO_THREADS = 20_000;

    private final ServerState state;
    private final MetaStore store;
    private final LockedSlots lockedSlots;
    private final InodeRecord inode = new InodeRecord();
    private final byte[] image = new byte[InodeLayout.SIZE_BYTES];
    private final MemorySegment imageSegment = MemorySegment.ofArray(image);
    private final CRC32C crc = new CRC32C();
    /** Keeps the compiler from leaving out what has no other use. */
    private final LongAdder touched = new LongAdder();

    private long inodeCount;
    private long dentryCount;
    private long orphanCount;

    /**
     * Slots that a lock record names: a half-written dispatch is no corruption there, it is done again. Old and new image
     * of such a slot agree in identity (number; directory, name and place) and in everything that is referenced, so that
     * even a mixture of them can be indexed and followed.
     */
    @FunctionalInterface
    public interface LockedSlots {
        /** Whether a transaction holds the slot; its checksum means nothing then. */
        boolean contains(long slotOffset);

        /** Whether the slot was free before: it is taken, and whatever is in it does not exist yet. */
        default boolean isNew(long slotOffset) {
            return false;
        }
    }

    /** A recovery into an empty state. */
    public MetadataRecovery(ServerState state, LockedSlots lockedSlots) {
        this.state = state;
        this.store = state.store();
        this.lockedSlots = lockedSlots;
    }

    /** Rebuilds everything; see the class. */
    public void run(RecoveryProgress progress) {
        run(progress, null);
    }

    /**
     * As {@link #run(RecoveryProgress)}, with a second thread that reads the dentries of a large pool while this one reads the
     * inodes: they end up in different tables.
     *
     * @param threads null: everything in this thread
     */
    public void run(RecoveryProgress progress, ThreadFactory threads) {
        store.beginRecovery();
        state.marks().recover();
        long inodes = 0;
        long dentries = 0;
        // The kinds of all pages first: a reference to one of them must be seen to be wrong.
        for (int page = 0; page < store.pageCount(); page++) {
            int kind = store.pageKindOnMedia(page);
            if (kind > PageKind.DENTRY_LARGE) {
                throw new PoolCorruptException("kind of metadata page", store.pageOffset(page), PageKind.FREE, kind);
            }
            if (kind != PageKind.FREE) {
                store.recoverPageKind(page, kind);
                inodes += kind == PageKind.INODE ? PageKind.slotCount(kind) : 0;
                dentries += kind == PageKind.INODE ? 0 : PageKind.slotCount(kind);
            }
        }
        state.inodes().expect(inodes);
        state.dentries().expect(dentries);
        if (threads != null && inodes + dentries >= SLOTS_FOR_TWO_THREADS) {
            scanInTwoThreads(progress, threads);
        } else {
            scan(PageKind.INODE, PageKind.INODE, "inodes", progress);
            scan(PageKind.DENTRY_SMALL, PageKind.DENTRY_LARGE, "dentries", progress);
        }
        store.endRecovery();
        state.contents().recovered();
        RootCreator.createIfMissing(state);
    }

    public long inodeCount() {
        return inodeCount;
    }

    public long dentryCount() {
        return dentryCount;
    }

    /** Inodes without a name. */
    public long orphanCount() {
        return orphanCount;
    }

    private void scanInTwoThreads(RecoveryProgress progress, ThreadFactory threads) {
        FutureTask<Void> dentries = new FutureTask<>(
                () -> scan(PageKind.DENTRY_SMALL, PageKind.DENTRY_LARGE, "dentries", RecoveryProgress.NONE), null);
        threads.newThread(dentries).start();
        boolean done = false;
        try {
            scan(PageKind.INODE, PageKind.INODE, "inodes", progress);
            done = true;
        } finally {
            // In any case: the medium may be closed when this has failed.
            await(dentries, done);
        }
    }

    private static void await(FutureTask<Void> task, boolean rethrow) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    task.get();
                    return;
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    if (rethrow && e.getCause() instanceof RuntimeException cause) {
                        throw cause;
                    }
                    if (rethrow) {
                        throw new IllegalStateException("recovery of the dentries failed", e.getCause());
                    }
                    return;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void scan(int kindFrom, int kindTo, String phase, RecoveryProgress progress) {
        int pageCount = store.pageCount();
        long seen = 0;
        for (int page = 0; page < pageCount; page++) {
            int kind = store.pageKind(page);
            if (kind >= kindFrom && kind <= kindTo) {
                seen += touch(page, kind);
                int free = 0;
                for (int slot = 0; slot < PageKind.slotCount(kind); slot++) {
                    long offset = store.pageOffset(page) + (long) slot * PageKind.slotBytes(kind);
                    boolean isFree = kind == PageKind.INODE ? !inode(offset) : !dentry(offset, kind);
                    if (isFree && !lockedSlots.contains(offset)) {
                        free |= 1 << slot;
                    }
                }
                store.recoverSlotPage(page, kind, free);
            }
            if (page % PAGES_PER_REPORT == 0) {
                progress.advance(phase, page, pageCount);
            }
        }
        progress.advance(phase, pageCount, pageCount);
        touched.add(seen);
    }

    /** The indexes are read at random places; waiting for them one by one would take longer than all the rest. */
    private long touch(int page, int kind) {
        long seen = 0;
        for (int slot = 0; slot < PageKind.slotCount(kind); slot++) {
            long offset = store.pageOffset(page) + (long) slot * PageKind.slotBytes(kind);
            if (kind == PageKind.INODE) {
                seen += state.inodes().touch(store.readLong(offset + InodeLayout.INO_OFFSET));
            } else if (store.readInt(offset + DentryLayout.MAGIC_OFFSET) == DentryLayout.MAGIC) {
                seen += state.dentries().touch(offset);
            }
        }
        return seen;
    }

    /** False if the slot is empty. */
    private boolean inode(long offset) {
        inode.wrap(store.memory(), offset, offset);
        int magic = inode.getInt(InodeLayout.MAGIC_OFFSET);
        if (magic == 0 || lockedSlots.isNew(offset)) {
            return false;
        }
        if (lockedSlots.contains(offset)) {
            recoverInode(offset);
            return true;
        }
        if (magic != InodeLayout.MAGIC) {
            throw new PoolCorruptException(
                    "magic word of an inode", offset + InodeLayout.MAGIC_OFFSET, InodeLayout.MAGIC, magic);
        }
        MemorySegment.copy(store.memory(), offset, imageSegment, 0, InodeLayout.SIZE_BYTES);
        crc.reset();
        crc.update(image, InodeLayout.CHECKED_FROM, InodeLayout.SIZE_BYTES - InodeLayout.CHECKED_FROM);
        int found = inode.getInt(InodeLayout.CHECKSUM_OFFSET);
        if (found != (int) crc.getValue()) {
            throw new PoolCorruptException(
                    "checksum of an inode", offset + InodeLayout.CHECKSUM_OFFSET, crc.getValue(), found & 0xFFFF_FFFFL);
        }
        recoverInode(offset);
        return true;
    }

    private void recoverInode(long offset) {
        inode.wrap(store.memory(), offset, offset);
        long ino = inode.ino();
        if (!state.isHome(ino)) {
            throw new PoolCorruptException("inode of another home", offset, state.nodeId(), ino);
        }
        state.inodes().add(ino, offset);
        inodeCount++;
        // Whether a locked inode still has a name is for its transaction to say.
        if (inode.nlink() == 0 && !lockedSlots.contains(offset)) {
            orphanCount++;
            state.orphans().add(ino, true);
        }
        if (inode.xattrRoot() != 0) {
            state.blobs().recover(inode.xattrRoot());
        }
        if (inode.isSymlink() && inode.mapRoot() != 0) {
            state.blobs().recover(inode.mapRoot());
        } else if (inode.isRegular()) {
            state.contents().recover(inode);
        }
    }

    /** False if the slot is empty. */
    private boolean dentry(long offset, int kind) {
        DentryTable dentries = state.dentries();
        int magic = store.readInt(offset + DentryLayout.MAGIC_OFFSET);
        if (magic == 0 || lockedSlots.isNew(offset)) {
            return false;
        }
        if (lockedSlots.contains(offset)) {
            dentries.addSlot(offset);
            dentryCount++;
            return true;
        }
        if (magic != DentryLayout.MAGIC) {
            throw new PoolCorruptException(
                    "magic word of a dentry", offset + DentryLayout.MAGIC_OFFSET, DentryLayout.MAGIC, magic);
        }
        int nameLength = store.readInt(offset + DentryLayout.NAME_LENGTH_OFFSET) & 0xFFFF;
        int nameMax = Math.min(PageKind.slotBytes(kind) - DentryLayout.NAME_OFFSET, DentryLayout.NAME_BYTES_MAX);
        if (nameLength < 1 || nameLength > nameMax) {
            throw new PoolCorruptException(
                    "name length of a dentry", offset + DentryLayout.NAME_LENGTH_OFFSET, nameMax, nameLength);
        }
        int found = store.readInt(offset + DentryLayout.CHECKSUM_OFFSET);
        int expected = dentries.checksum(offset);
        if (found != expected) {
            throw new PoolCorruptException(
                    "checksum of a dentry", offset, expected & 0xFFFF_FFFFL, found & 0xFFFF_FFFFL);
        }
        dentries.addSlot(offset);
        dentryCount++;
        return true;
    }
}
