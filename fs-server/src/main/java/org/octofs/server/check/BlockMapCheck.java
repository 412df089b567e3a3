package org.octofs.server.check;

import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.LongHashSet;
import org.octofs.rpc.protocol.BlockEntryLayout;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.server.check.Findings.Stage;
import org.octofs.server.data.BlockMapLayout;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.PageKind;

/**
 * Block maps: pages in place and reached once, every block inside a segment of the file's shard and part of one file only, the
 * count of blocks right.
 * Threading: confined to the check.
 * Cost: memory for doubly used blocks only; the places that use them are found by reading the maps a second time.
 */
final class BlockMapCheck {
    private static final int DOUBLES_MAX = 100_000;
    private static final long ENTRY_FLAGS = 0xFFL << 56;

    /**
     * A place that refers to a block.
     *
     * @param pool where the map is
     * @param entryOffset pool offset of the map's entry
     * @param inodeOffset pool offset of the inode's slot
     * @param ino of the file
     * @param fileBlock which of its blocks
     */
    record Use(PoolView pool, long entryOffset, long inodeOffset, long ino, long fileBlock, long location) {}

    private final Cluster cluster;
    private final Findings findings;
    private final DataCheck data;
    private final LongHashSet doubles = new LongHashSet(0);
    private final List<Use> strangers = new ArrayList<>();
    private final List<Use> uses = new ArrayList<>();
    private boolean collecting;
    private long total;

    private PoolView pool;
    private long inodeOffset;
    private long ino;
    private long blocks;
    private boolean damaged;

    BlockMapCheck(Cluster cluster, Findings findings, DataCheck data) {
        this.cluster = cluster;
        this.findings = findings;
        this.data = data;
    }

    /** Blocks that files have. */
    long blocks() {
        return total;
    }

    /** Blocks with more than one user. */
    LongHashSet doubles() {
        return doubles;
    }

    /** Entries in segments of somebody else. */
    List<Use> strangers() {
        return strangers;
    }

    /** Reads the map of a file. */
    void file(PoolView in, InodeRecord inode) {
        begin(in, inode);
        long slot = inodeOffset;
        if (inode.mapHeight() == 0) {
            for (int i = 0; i < InodeLayout.INLINE_ENTRIES; i++) {
                entry(slot + InodeLayout.INLINE_OFFSET + (long) i * BlockEntryLayout.SIZE_BYTES, i);
            }
            if (inode.mapRoot() != 0) {
                damaged = true;
                pointer(
                        slot,
                        "has the block map " + inode.mapRoot() + " though its height is 0",
                        () -> Mender.inode(in, slot, i -> i.mapRoot(0)));
            }
        } else if (inode.mapRoot() == 0 || !reach(inode.mapRoot())) {
            damaged = true;
            pointer(
                    slot,
                    "has a block map at " + inode.mapRoot() + ", which is no free-standing metadata page",
                    () -> Mender.inode(in, slot, i -> i.mapRoot(0).mapHeight(0).blocks(0)));
        } else {
            page(inode.mapRoot(), inode.mapHeight(), 0);
        }
        total += blocks;
        if (!damaged && blocks != inode.blocks()) {
            long right = blocks;
            findings.error(
                    in.node(),
                    ino,
                    slot,
                    Cluster.name(ino) + " counts " + inode.blocks() + " blocks, its map has " + blocks,
                    "the count is corrected",
                    Stage.COUNT,
                    () -> Mender.inode(in, slot, i -> i.blocks(right)));
        }
    }

    private void begin(PoolView in, InodeRecord inode) {
        pool = in;
        inodeOffset = inode.slotOffset();
        ino = inode.ino();
        blocks = 0;
        damaged = false;
    }

    private void pointer(long offset, String what, Findings.Repair repair) {
        findings.error(
                pool.node(),
                ino,
                offset,
                "the block map of " + Cluster.name(ino) + " " + what,
                "that part of the file is cut off and reads as zeros; restore the file",
                Stage.STRUCTURE,
                repair);
    }

    /** Marks a page as reached; false if it cannot be a page of a map, or was reached before. */
    private boolean reach(long offset) {
        int page = pool.pageAt(offset);
        if (page < 0 || (!collecting && pool.kind(page) != PageKind.FREE)) {
            return false;
        }
        pool.kind(page, PageKind.REACHED);
        return true;
    }

    private void page(long offset, int height, long firstBlock) {
        if (height == 1) {
            for (int i = 0; i < BlockMapLayout.LEAF_ENTRIES; i++) {
                entry(offset + (long) i * BlockEntryLayout.SIZE_BYTES, firstBlock + i);
            }
            return;
        }
        long childBlocks = BlockMapLayout.LEAF_ENTRIES;
        for (int h = 2; h < height; h++) {
            childBlocks *= BlockMapLayout.NODE_POINTERS;
        }
        for (int i = 0; i < BlockMapLayout.NODE_POINTERS; i++) {
            long at = offset + (long) i * Long.BYTES;
            long child = pool.readLong(at);
            if (child == 0) {
                continue;
            }
            if (reach(child)) {
                page(child, height - 1, firstBlock + i * childBlocks);
            } else if (!collecting) {
                damaged = true;
                PoolView in = pool;
                pointer(
                        at,
                        "refers to " + child + ", which is no free-standing metadata page",
                        () -> Mender.word(in, at, 0));
            }
        }
    }

    private void entry(long at, long fileBlock) {
        long location = pool.readLong(at);
        if (location == BlockLocation.HOLE) {
            return;
        }
        if (collecting) {
            if (doubles.contains(BlockLocation.withoutFlags(location))) {
                uses.add(new Use(pool, at, inodeOffset, ino, fileBlock, location));
            }
            return;
        }
        blocks++;
        if ((location & ENTRY_FLAGS & ~BlockLocation.UNWRITTEN) != 0
                || BlockLocation.node(location) >= cluster.nodeCount()) {
            outside(at, fileBlock, location);
            return;
        }
        PoolView there = cluster.pool(BlockLocation.node(location));
        if (there == null) {
            return;
        }
        long block = BlockLocation.block(location);
        if (!there.isDataBlock(block)) {
            outside(at, fileBlock, location);
            return;
        }
        if (!cluster.mayUse(InodeNumber.shard(ino), there.segmentOwner(block))) {
            strangers.add(new Use(pool, at, inodeOffset, ino, fileBlock, location));
        }
        if (!there.use(block) && doubles.size() < DOUBLES_MAX) {
            doubles.add(BlockLocation.withoutFlags(location));
        }
        data.block(there, pool, at, location, ino, fileBlock);
    }

    private void outside(long at, long fileBlock, long location) {
        PoolView in = pool;
        findings.error(
                in.node(),
                ino,
                at,
                "block " + fileBlock + " of " + Cluster.name(ino) + " is said to be at 0x" + Long.toHexString(location)
                        + ", which is no place in a data zone",
                "it is made a hole and reads as zeros; restore the file",
                Stage.STRUCTURE,
                () -> clearEntry(in, at));
    }

    /** Makes an entry a hole. */
    static void clearEntry(PoolView in, long at) throws RepairException {
        if (isInline(in, at)) {
            long slot = inodeSlot(in, at);
            Mender.inode(in, slot, i -> i.putLong((int) (at - slot), 0).putLong((int) (at - slot) + Long.BYTES, 0));
        } else {
            Mender.zero(in, at, BlockEntryLayout.SIZE_BYTES);
        }
    }

    /** Whether an entry lies in an inode, whose checksum covers it. */
    static boolean isInline(PoolView in, long at) {
        return in.kind(in.pageAt(at & -PageKind.PAGE_BYTES)) == PageKind.INODE;
    }

    static long inodeSlot(PoolView in, long at) {
        int bytes = PageKind.slotBytes(PageKind.INODE);
        return at / bytes * bytes;
    }

    /** Reads a map again and adds the places that use one of {@link #doubles()}. */
    void collect(PoolView in, InodeRecord inode, List<Use> into) {
        begin(in, inode);
        collecting = true;
        uses.clear();
        if (inode.mapHeight() == 0) {
            for (int i = 0; i < InodeLayout.INLINE_ENTRIES; i++) {
                entry(inodeOffset + InodeLayout.INLINE_OFFSET + (long) i * BlockEntryLayout.SIZE_BYTES, i);
            }
        } else if (inode.mapRoot() != 0 && reach(inode.mapRoot())) {
            page(inode.mapRoot(), inode.mapHeight(), 0);
        }
        collecting = false;
        into.addAll(uses);
    }
}
