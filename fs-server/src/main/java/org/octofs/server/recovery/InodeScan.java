package org.octofs.server.recovery;

import org.octofs.pmem.PoolCorruptException;
import org.octofs.rpc.protocol.BlockEntryLayout;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.server.ops.ServerState;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.PageKind;

/** Takes the inodes into their index, with what they reference. See {@link SlotScan}. */
final class InodeScan extends SlotScan {
    private final InodeRecord inode = new InodeRecord();
    private long inodeCount;
    private long orphanCount;

    InodeScan(ServerState state, MetadataRecovery.LockedSlots lockedSlots) {
        super(state, lockedSlots, PageKind.INODE, PageKind.INODE, "inodes");
    }

    long inodeCount() {
        return inodeCount;
    }

    long orphanCount() {
        return orphanCount;
    }

    @Override
    long touch(int slotBytes, int slotCount) {
        long seen = 0;
        for (int slot = 0; slot < slotCount; slot++) {
            seen += state.inodes().touch(buffer.getLong(slot * slotBytes + InodeLayout.INO_OFFSET));
        }
        return seen;
    }

    @Override
    boolean recover(int slot, int at, long offset, int slotBytes) {
        int magic = buffer.getInt(at + InodeLayout.MAGIC_OFFSET);
        if (magic == 0 || lockedSlots.isNew(offset)) {
            return false;
        }
        boolean locked = lockedSlots.contains(offset);
        if (!locked) {
            if (magic != InodeLayout.MAGIC) {
                throw new PoolCorruptException(
                        "magic word of an inode", offset + InodeLayout.MAGIC_OFFSET, InodeLayout.MAGIC, magic);
            }
            check(
                    "checksum of an inode",
                    buffer.getInt(at + InodeLayout.CHECKSUM_OFFSET),
                    at + InodeLayout.CHECKED_FROM,
                    InodeLayout.SIZE_BYTES - InodeLayout.CHECKED_FROM,
                    offset + InodeLayout.CHECKSUM_OFFSET);
        }
        long ino = buffer.getLong(at + InodeLayout.INO_OFFSET);
        if (!state.isHome(ino)) {
            throw new PoolCorruptException("inode of another home", offset, state.nodeId(), ino);
        }
        state.inodes().add(ino, offset);
        inodeCount++;
        // Whether a locked inode still has a name is for its transaction to say.
        if (buffer.getInt(at + InodeLayout.NLINK_OFFSET) == 0 && !locked) {
            orphanCount++;
            state.orphans().add(ino, true);
        }
        references(at, offset);
        return true;
    }

    private void references(int at, long offset) {
        int mode = buffer.getInt(at + InodeLayout.MODE_OFFSET);
        long mapRoot = buffer.getLong(at + InodeLayout.MAP_ROOT_OFFSET);
        long xattrRoot = buffer.getLong(at + InodeLayout.XATTR_ROOT_OFFSET);
        if (xattrRoot != 0) {
            state.blobs().recover(xattrRoot);
        }
        if (FileMode.isSymlink(mode) && mapRoot != 0) {
            state.blobs().recover(mapRoot);
        } else if (FileMode.isRegular(mode) && hasBlocks(at)) {
            state.contents().recover(inode.wrap(store.memory(), offset, offset));
        }
    }

    private boolean hasBlocks(int at) {
        long any = buffer.getInt(at + InodeLayout.MAP_HEIGHT_OFFSET);
        for (int i = 0; i < InodeLayout.INLINE_ENTRIES; i++) {
            any |= buffer.getLong(at + InodeLayout.INLINE_OFFSET + i * BlockEntryLayout.SIZE_BYTES);
        }
        return any != 0;
    }
}
