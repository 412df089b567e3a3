package org.octofs.server.txn;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.server.store.InodeRecord;

/** An inode of a participant, as it was collected and as the coordinator changes it. Confined to the worker. */
final class RemoteInode {
    final int node;
    final long ino;
    final long slotOffset;
    final byte[] image = new byte[InodeLayout.SIZE_BYTES];
    final MemorySegment segment = MemorySegment.ofArray(image);
    final InodeRecord record = new InodeRecord();
    private boolean changed;

    RemoteInode(int node, long ino, long slotOffset) {
        this.node = node;
        this.ino = ino;
        this.slotOffset = slotOffset;
        record.wrap(segment, 0, slotOffset);
    }

    /** The image to be changed; it will be dispatched. */
    InodeRecord edit() {
        changed = true;
        return record;
    }

    boolean isChanged() {
        return changed;
    }

    /** Gives the image its new version and checksum, once. */
    void seal() {
        long version = (record.version() & ~InodeLayout.VERSION_LOCKED) + 2;
        record.putLong(InodeLayout.VERSION_OFFSET, version).putLong(InodeLayout.BODY_VERSION_OFFSET, version);
        CRC32C crc = new CRC32C();
        crc.update(image, InodeLayout.CHECKED_FROM, InodeLayout.SIZE_BYTES - InodeLayout.CHECKED_FROM);
        record.putInt(InodeLayout.CHECKSUM_OFFSET, (int) crc.getValue());
    }

    /** The body first: a reader believes the image when it sees the version. */
    void dispatch(DispatchWrites writes) {
        writes.add(slotOffset + Long.BYTES, segment, Long.BYTES, InodeLayout.SIZE_BYTES - Long.BYTES);
        writes.addLong(slotOffset + InodeLayout.VERSION_OFFSET, record.version());
    }
}
