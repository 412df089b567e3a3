package org.octofs.server.check;

import org.octofs.pmem.layout.ZoneKind;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.server.check.Findings.Stage;
import org.octofs.server.data.BlockMapLayout;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.PageKind;

/**
 * Inode slots: each for itself, and that no number is there twice. Fills the {@link InodeIndex}; what an inode refers to is for
 * {@link ContentCheck}.
 * Threading: confined to the check.
 */
final class InodeCheck {
    private static final String CHECK_IT = "check what is in it";

    private final Cluster cluster;
    private final Findings findings;
    private final InodeIndex index;
    private final InodeRecord inode = new InodeRecord();
    private long orphans;
    private long blocks;

    InodeCheck(Cluster cluster, Findings findings, InodeIndex index) {
        this.cluster = cluster;
        this.findings = findings;
        this.index = index;
    }

    /** Inodes without a name. */
    long orphans() {
        return orphans;
    }

    /** Blocks that the inodes say they have. */
    long blocks() {
        return blocks;
    }

    /** Inodes that the pools seem to have, for the size of the index. */
    static long count(Cluster cluster) {
        long count = 0;
        for (int node = 0; node < cluster.nodeCount(); node++) {
            PoolView pool = cluster.pool(node);
            for (int page = 0; pool != null && page < pool.pageCount(); page++) {
                if (pool.kind(page) == PageKind.INODE) {
                    for (int slot = 0; slot < PageKind.slotCount(PageKind.INODE); slot++) {
                        count += pool.readInt(pool.slotOffset(page, slot) + InodeLayout.MAGIC_OFFSET) == 0 ? 0 : 1;
                    }
                }
            }
        }
        return count;
    }

    /** Checks the slots of a page. */
    void page(PoolView pool, int page) {
        for (int slot = 0; slot < PageKind.slotCount(PageKind.INODE); slot++) {
            long offset = pool.slotOffset(page, slot);
            if (pool.isLocked(offset)) {
                continue;
            }
            if (pool.readInt(offset + InodeLayout.MAGIC_OFFSET) != 0) {
                slot(pool, offset, PoolView.slotReference(page, slot));
            } else if (!InodeLayout.isPlausible(pool.readLong(offset))) {
                freeSlot(pool, offset);
            }
        }
    }

    private void freeSlot(PoolView pool, long offset) {
        findings.error(
                pool.node(),
                0,
                offset,
                "a free slot for an inode has the impossible version " + pool.readLong(offset),
                "it is given another one",
                Stage.STRUCTURE,
                () -> Mender.clearInode(pool, offset));
    }

    private void slot(PoolView pool, long offset, int reference) {
        inode.wrap(pool.memory(), offset, offset);
        long ino = inode.ino();
        String why = implausible(pool);
        if (!why.isEmpty()) {
            findings.error(
                    pool.node(),
                    0,
                    offset,
                    "the slot of an inode has " + why,
                    "it is cleared; if it was a file, its content is lost",
                    Stage.STRUCTURE,
                    () -> Mender.clearInode(pool, offset));
            return;
        }
        int place = index.find(ino);
        if (place >= 0) {
            twice(pool, offset, ino, index.slot(place));
            return;
        }
        index.add(ino, reference);
        orphans += inode.nlink() == 0 ? 1 : 0;
        blocks += Math.max(0, inode.blocks());
        seal(pool, offset, ino);
        fields(pool, offset, ino);
    }

    /** Why a slot can be no inode, or not this one; empty if it can. */
    private String implausible(PoolView pool) {
        long ino = inode.ino();
        if (inode.getInt(InodeLayout.MAGIC_OFFSET) != InodeLayout.MAGIC) {
            return "a wrong magic word, 0x" + Integer.toHexString(inode.getInt(InodeLayout.MAGIC_OFFSET));
        }
        if (InodeNumber.index(ino) == 0
                || InodeNumber.index(ino) == InodeNumber.INDEX_MAX
                || InodeNumber.shard(ino) >= cluster.shardCount()) {
            return "the impossible inode number " + Long.toUnsignedString(ino);
        }
        if (cluster.home(ino) != pool.node()) {
            return Cluster.name(ino) + ", whose home is node " + cluster.home(ino);
        }
        int type = FileMode.type(inode.mode());
        if (!isType(type)) {
            return "an unknown type of file, mode 0" + Integer.toOctalString(inode.mode());
        }
        boolean sealed = inode.getInt(InodeLayout.CHECKSUM_OFFSET) == pool.inodeChecksum(inode.slotOffset());
        boolean sane = inode.mapHeight() >= 0
                && inode.mapHeight() <= BlockMapLayout.HEIGHT_MAX
                && inode.sizeBytes() >= 0
                && inode.nlink() >= 0
                && inode.entryCount() >= 0;
        if (!sane) {
            return Cluster.name(ino) + " with fields that make no sense"
                    + (sealed ? ", though its checksum is right" : " and a wrong checksum");
        }
        return "";
    }

    static boolean isType(int type) {
        return switch (type) {
            case FileMode.REGULAR,
                    FileMode.DIRECTORY,
                    FileMode.SYMLINK,
                    FileMode.BLOCK_DEVICE,
                    FileMode.CHARACTER_DEVICE,
                    FileMode.FIFO,
                    FileMode.SOCKET -> true;
            default -> false;
        };
    }

    private void twice(PoolView pool, long offset, long ino, int otherReference) {
        long other = pool.slotOffset(otherReference);
        boolean otherIsBetter = InodeLayout.isConsistent(pool.memory(), other)
                && (!InodeLayout.isConsistent(pool.memory(), offset)
                        || pool.inodeLong(other, InodeLayout.CTIME_SEC_OFFSET)
                                >= pool.inodeLong(offset, InodeLayout.CTIME_SEC_OFFSET));
        long loser = otherIsBetter ? offset : other;
        findings.error(
                pool.node(),
                ino,
                offset,
                Cluster.name(ino) + " is there twice, also at offset " + other,
                "the one at offset " + loser + " is cleared",
                Stage.STRUCTURE,
                () -> Mender.clearInode(pool, loser));
    }

    private void seal(PoolView pool, long offset, long ino) {
        int expected = pool.inodeChecksum(offset);
        if (inode.getInt(InodeLayout.CHECKSUM_OFFSET) != expected) {
            findings.error(
                    pool.node(),
                    ino,
                    offset,
                    Cluster.name(ino) + " has a wrong checksum, though its fields make sense",
                    "it is kept and sealed anew; its size, times, owner or mode may be wrong, " + CHECK_IT,
                    Stage.STRUCTURE,
                    () -> Mender.inode(pool, offset, _ -> {}));
        } else if ((inode.version() & InodeLayout.VERSION_LOCKED) != 0) {
            findings.error(
                    pool.node(),
                    ino,
                    offset,
                    Cluster.name(ino) + " is locked, and no transaction holds it",
                    "it is unlocked",
                    Stage.STRUCTURE,
                    () -> Mender.inode(pool, offset, _ -> {}));
        } else if (inode.version() != inode.getLong(InodeLayout.BODY_VERSION_OFFSET)) {
            findings.error(
                    pool.node(),
                    ino,
                    offset,
                    Cluster.name(ino) + " has version " + inode.version() + " in front of a body of version "
                            + inode.getLong(InodeLayout.BODY_VERSION_OFFSET),
                    "it is sealed anew",
                    Stage.STRUCTURE,
                    () -> Mender.inode(pool, offset, _ -> {}));
        }
    }

    private void fields(PoolView pool, long offset, long ino) {
        long markOffset = pool.zone(ZoneKind.SESSION_TABLE).offset() + (long) InodeNumber.shard(ino) * Long.BYTES;
        long mark = Math.max(2, pool.readLong(markOffset));
        if (InodeNumber.shard(ino) < ClusterMap.SHARDS_MAX && Long.compareUnsigned(InodeNumber.index(ino), mark) >= 0) {
            findings.error(
                    pool.node(),
                    ino,
                    markOffset,
                    Cluster.name(ino) + " has an index that shard " + InodeNumber.shard(ino)
                            + " has not given yet (its mark is " + mark + "), so that it could be given again",
                    "the mark is raised",
                    Stage.STRUCTURE,
                    () -> {
                        if (pool.readLong(markOffset) <= InodeNumber.index(ino)) {
                            Mender.word(pool, markOffset, InodeNumber.index(ino) + 1);
                        }
                    });
        }
        if ((inode.xattrRoot() != 0) != ((inode.flags() & InodeLayout.FLAG_XATTRS) != 0)) {
            boolean has = inode.xattrRoot() != 0;
            findings.error(
                    pool.node(),
                    ino,
                    offset,
                    Cluster.name(ino) + (has ? " has" : " has no") + " extended attributes and its flags say otherwise",
                    "the flag is corrected",
                    Stage.STRUCTURE,
                    () -> Mender.inode(
                            pool,
                            offset,
                            i -> i.flags(
                                    has ? i.flags() | InodeLayout.FLAG_XATTRS : i.flags() & ~InodeLayout.FLAG_XATTRS)));
        }
    }
}
