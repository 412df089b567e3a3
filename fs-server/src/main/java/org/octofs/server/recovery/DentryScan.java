package org.octofs.server.recovery;

import org.octofs.pmem.PoolCorruptException;
import org.octofs.server.namespace.DentryLayout;
import org.octofs.server.namespace.Name;
import org.octofs.server.ops.ServerState;
import org.octofs.server.store.PageKind;

/** Takes the directory entries into their indexes. See {@link SlotScan}. */
final class DentryScan extends SlotScan {
    private final int[] hashes = new int[PageKind.SLOTS_MAX];
    private long dentryCount;

    DentryScan(ServerState state, MetadataRecovery.LockedSlots lockedSlots) {
        super(state, lockedSlots, PageKind.DENTRY_SMALL, PageKind.DENTRY_LARGE, "dentries");
    }

    long dentryCount() {
        return dentryCount;
    }

    @Override
    long touch(int slotBytes, int slotCount) {
        long seen = 0;
        for (int slot = 0; slot < slotCount; slot++) {
            int at = slot * slotBytes;
            if (buffer.getInt(at + DentryLayout.MAGIC_OFFSET) == DentryLayout.MAGIC) {
                // The length is checked later; here it must only stay within the slot.
                int hash = Name.hash(
                        buffer.getLong(at + DentryLayout.PARENT_OFFSET),
                        buffer,
                        at + DentryLayout.NAME_OFFSET,
                        Math.min(nameLength(at), slotBytes - DentryLayout.NAME_OFFSET));
                hashes[slot] = hash;
                seen += state.dentries().touch(hash);
            }
        }
        return seen;
    }

    @Override
    boolean recover(int slot, int at, long offset, int slotBytes) {
        int magic = buffer.getInt(at + DentryLayout.MAGIC_OFFSET);
        if (magic == 0 || lockedSlots.isNew(offset)) {
            return false;
        }
        if (lockedSlots.contains(offset)) {
            state.dentries().addSlot(offset);
            dentryCount++;
            return true;
        }
        if (magic != DentryLayout.MAGIC) {
            throw new PoolCorruptException(
                    "magic word of a dentry", offset + DentryLayout.MAGIC_OFFSET, DentryLayout.MAGIC, magic);
        }
        int nameLength = nameLength(at);
        int nameMax = Math.min(slotBytes - DentryLayout.NAME_OFFSET, DentryLayout.NAME_BYTES_MAX);
        if (nameLength < 1 || nameLength > nameMax) {
            throw new PoolCorruptException(
                    "name length of a dentry", offset + DentryLayout.NAME_LENGTH_OFFSET, nameMax, nameLength);
        }
        check(
                "checksum of a dentry",
                buffer.getInt(at + DentryLayout.CHECKSUM_OFFSET),
                at + DentryLayout.MAGIC_OFFSET,
                DentryLayout.NAME_OFFSET + nameLength - DentryLayout.MAGIC_OFFSET,
                offset);
        state.dentries()
                .recover(
                        offset,
                        hashes[slot],
                        buffer.getLong(at + DentryLayout.PARENT_OFFSET),
                        buffer.getLong(at + DentryLayout.COOKIE_OFFSET));
        dentryCount++;
        return true;
    }

    private int nameLength(int at) {
        return buffer.getShort(at + DentryLayout.NAME_LENGTH_OFFSET) & 0xFFFF;
    }
}
