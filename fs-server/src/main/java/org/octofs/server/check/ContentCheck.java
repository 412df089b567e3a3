package org.octofs.server.check;

import java.lang.foreign.ValueLayout;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.server.check.Findings.Stage;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.PageKind;

/**
 * What inodes refer to in their own pool: extended attributes, link targets, block maps. No page may be reached twice.
 * Threading: confined to the check.
 */
final class ContentCheck {
    private final Findings findings;
    private final Blobs blobs = new Blobs();
    private final BlockMapCheck maps;
    private final InodeRecord inode = new InodeRecord();

    ContentCheck(Findings findings, BlockMapCheck maps) {
        this.findings = findings;
        this.maps = maps;
    }

    /** Checks the inodes of a page that the index has; slots of others were reported. */
    void page(PoolView pool, int page, InodeIndex index) {
        for (int slot = 0; slot < PageKind.slotCount(PageKind.INODE); slot++) {
            long offset = pool.slotOffset(page, slot);
            if (pool.readInt(offset + InodeLayout.MAGIC_OFFSET) == InodeLayout.MAGIC && !pool.isLocked(offset)) {
                int place = index.find(pool.inodeLong(offset, InodeLayout.INO_OFFSET));
                if (place >= 0 && index.slot(place) == PoolView.slotReference(page, slot)) {
                    inode(pool, offset);
                }
            }
        }
    }

    private void inode(PoolView pool, long offset) {
        inode.wrap(pool.memory(), offset, offset);
        if (inode.xattrRoot() != 0) {
            xattrs(pool, offset);
        }
        switch (FileMode.type(inode.mode())) {
            case FileMode.SYMLINK -> symlink(pool, offset);
            case FileMode.REGULAR -> maps.file(pool, inode);
            default -> {
                // Nothing else has content.
            }
        }
    }

    private void xattrs(PoolView pool, long offset) {
        String wrong = blobs.check(pool, inode.xattrRoot());
        if (wrong.isEmpty()) {
            wrong = attributes(blobs.bytes(), blobs.length());
        }
        if (!wrong.isEmpty()) {
            findings.error(
                    pool.node(),
                    inode.ino(),
                    offset,
                    "the extended attributes of " + Cluster.name(inode.ino()) + " cannot be read: " + wrong,
                    "they are removed",
                    Stage.STRUCTURE,
                    () -> Mender.inode(pool, offset, i -> i.xattrRoot(0).flags(i.flags() & ~InodeLayout.FLAG_XATTRS)));
        }
    }

    private static String attributes(byte[] bytes, int length) {
        int at = 0;
        while (at < length) {
            if (at + 8 > length) {
                return "the last attribute is cut off";
            }
            int name = (bytes[at] & 0xFF) | (bytes[at + 1] & 0xFF) << 8;
            long value = 0;
            for (int i = 3; i >= 0; i--) {
                value = value << 8 | (bytes[at + 4 + i] & 0xFF);
            }
            if (name == 0 || at + 8 + name + value > length) {
                return "an attribute does not end inside";
            }
            at += 8 + name + (int) value;
        }
        return "";
    }

    private void symlink(PoolView pool, long offset) {
        String wrong = "";
        long length = inode.sizeBytes();
        if (inode.mapRoot() != 0) {
            wrong = blobs.check(pool, inode.mapRoot());
            if (wrong.isEmpty() && blobs.length() != length) {
                wrong = "it has " + blobs.length() + " bytes instead of " + length;
            }
        } else if ((inode.flags() & InodeLayout.FLAG_INLINE_TARGET) == 0
                || length < 1
                || length > InodeLayout.INLINE_BYTES
                || pool.memory().get(ValueLayout.JAVA_BYTE, offset + InodeLayout.INLINE_OFFSET) == 0) {
            wrong = "there is none, but its length is " + length;
        }
        if (!wrong.isEmpty()) {
            findings.error(
                    pool.node(),
                    inode.ino(),
                    offset,
                    "the target of the symbolic link " + Cluster.name(inode.ino()) + " cannot be read: " + wrong,
                    "the link is removed",
                    Stage.STRUCTURE,
                    () -> Mender.clearInode(pool, offset));
        }
    }
}
