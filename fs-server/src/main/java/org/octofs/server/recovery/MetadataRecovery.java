package org.octofs.server.recovery;

import java.lang.foreign.MemorySegment;
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
 * Threading:  the worker's thread, before anything is served.
 * Errors:     {@link PoolCorruptException} with the place and both values for a wrong checksum, a reference out of the zone, or
 *             anything that is there twice; nothing is changed on the media.
 */
public final class MetadataRecovery {
    private static final int PAGES_PER_REPORT = 4096;

    private final ServerState state;
    private final MetaStore store;
    private final LockedSlots lockedSlots;
    private final InodeRecord inode = new InodeRecord();
    private final byte[] image = new byte[InodeLayout.SIZE_BYTES];
    private final MemorySegment imageSegment = MemorySegment.ofArray(image);
    private final CRC32C crc = new CRC32C();
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
        store.beginRecovery();
        state.marks().recover();
        // Slot pages first: a reference to one of them must be seen to be wrong.
        for (int page = 0; page < store.pageCount(); page++) {
            int kind = store.pageKindOnMedia(page);
            if (kind > PageKind.DENTRY_LARGE) {
                throw new PoolCorruptException("kind of metadata page", store.pageOffset(page), PageKind.FREE, kind);
            }
            if (kind != PageKind.FREE) {
                store.recoverSlotPage(page, kind, freeSlots(page, kind));
            }
        }
        scan(PageKind.INODE, PageKind.INODE, "inodes", progress);
        scan(PageKind.DENTRY_SMALL, PageKind.DENTRY_LARGE, "dentries", progress);
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

    private int freeSlots(int page, int kind) {
        int magicOffset = kind == PageKind.INODE ? InodeLayout.MAGIC_OFFSET : DentryLayout.MAGIC_OFFSET;
        int free = 0;
        for (int slot = 0; slot < PageKind.slotCount(kind); slot++) {
            long offset = store.pageOffset(page) + (long) slot * PageKind.slotBytes(kind);
            if (store.readInt(offset + magicOffset) == 0 && !lockedSlots.contains(offset)) {
                free |= 1 << slot;
            }
        }
        return free;
    }

    private void scan(int kindFrom, int kindTo, String phase, RecoveryProgress progress) {
        int pageCount = store.pageCount();
        for (int page = 0; page < pageCount; page++) {
            int kind = store.pageKind(page);
            if (kind >= kindFrom && kind <= kindTo) {
                for (int slot = 0; slot < PageKind.slotCount(kind); slot++) {
                    long offset = store.pageOffset(page) + (long) slot * PageKind.slotBytes(kind);
                    if (kind == PageKind.INODE) {
                        inode(offset);
                    } else {
                        dentry(offset, kind);
                    }
                }
            }
            if (page % PAGES_PER_REPORT == 0) {
                progress.advance(phase, page, pageCount);
            }
        }
        progress.advance(phase, pageCount, pageCount);
    }

    private void inode(long offset) {
        inode.wrap(store.memory(), offset, offset);
        int magic = inode.getInt(InodeLayout.MAGIC_OFFSET);
        if (magic == 0 || lockedSlots.isNew(offset)) {
            return;
        }
        if (lockedSlots.contains(offset)) {
            recoverInode(offset);
            return;
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

    private void dentry(long offset, int kind) {
        DentryTable dentries = state.dentries();
        int magic = store.readInt(offset + DentryLayout.MAGIC_OFFSET);
        if (magic == 0 || lockedSlots.isNew(offset)) {
            return;
        }
        if (lockedSlots.contains(offset)) {
            dentries.addSlot(offset);
            dentryCount++;
            return;
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
    }
}
