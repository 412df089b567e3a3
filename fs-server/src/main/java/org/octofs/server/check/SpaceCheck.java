package org.octofs.server.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.octofs.pmem.layout.SegmentTableLayout;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.server.check.BlockMapCheck.Use;
import org.octofs.server.check.Findings.Stage;
import org.octofs.server.space.ReservationLayout;
import org.octofs.server.store.InodeRecord;

/**
 * Who uses which block: blocks of two files, blocks in somebody else's segment, and loans, which must overlap neither files
 * nor each other.
 * Threading: confined to the check.
 */
final class SpaceCheck {
    private final Cluster cluster;
    private final Findings findings;
    private final InodeIndex index;
    private final PathNames paths;
    private final BlockMapCheck maps;
    private final BlockMover mover;
    private long lent;

    SpaceCheck(
            Cluster cluster, Findings findings, InodeIndex index, PathNames paths, BlockMapCheck maps, DataCheck data) {
        this.cluster = cluster;
        this.findings = findings;
        this.index = index;
        this.paths = paths;
        this.maps = maps;
        this.mover = new BlockMover(cluster, data);
    }

    /** Blocks lent to clients. */
    long lentBlocks() {
        return lent;
    }

    /** Runs when all maps and all names were read. */
    void run() {
        for (int node = 0; node < cluster.nodeCount(); node++) {
            if (cluster.pool(node) != null) {
                reservations(cluster.pool(node));
            }
        }
        if (!maps.doubles().isEmpty()) {
            doubles();
        }
        for (Use use : maps.strangers()) {
            stranger(use);
        }
    }

    // ------------------------------------------------------------------------------------------------ loans

    private void reservations(PoolView pool) {
        Zone zone = pool.zone(ZoneKind.RESERVATION_TABLE);
        for (long at = zone.offset();
                at + ReservationLayout.SIZE_BYTES <= zone.endOffset();
                at += ReservationLayout.SIZE_BYTES) {
            if (pool.readLong(at + ReservationLayout.BLOCK_COUNT_OFFSET) != 0) {
                String wrong = reservation(pool, at);
                if (!wrong.isEmpty()) {
                    long word = at + ReservationLayout.BLOCK_COUNT_OFFSET;
                    findings.error(
                            pool.node(),
                            0,
                            at,
                            "an entry of the reservation table " + wrong,
                            "it is removed; a client that still has these blocks must be mounted anew",
                            Stage.STRUCTURE,
                            () -> Mender.word(pool, word, 0));
                }
            }
        }
    }

    private String reservation(PoolView pool, long at) {
        long location = pool.readLong(at + ReservationLayout.LOCATION_OFFSET);
        int count = pool.readInt(at + ReservationLayout.BLOCK_COUNT_OFFSET);
        int shard = ReservationLayout.shardOfTag(pool.readLong(at + ReservationLayout.TAG_OFFSET));
        if (pool.readInt(at + ReservationLayout.CHECK_OFFSET) != check(pool, at)) {
            return "has a wrong checksum";
        }
        if (count < 1 || location >>> 8 != (location + count - 1) >>> 8 || location >>> 56 != 0) {
            return "lends the impossible run of " + count + " blocks from 0x" + Long.toHexString(location);
        }
        if (shard >= cluster.shardCount() || cluster.homeOfShard(shard) != pool.node()) {
            return "lends blocks of shard " + shard + ", whose home is another node";
        }
        if (BlockLocation.node(location) >= cluster.nodeCount()) {
            return "lends blocks of node " + BlockLocation.node(location) + ", which does not exist";
        }
        lent += count;
        PoolView there = cluster.pool(BlockLocation.node(location));
        for (int i = 0; there != null && i < count; i++) {
            long block = BlockLocation.block(location) + i;
            if (!there.isDataBlock(block)) {
                return "lends " + BlockLocation.toString(location + i) + ", which is outside of the data zone";
            }
            if (!cluster.mayUse(shard, there.segmentOwner(block))) {
                return "lends " + BlockLocation.toString(location + i) + " of shard " + shard
                        + ", but its segment belongs to " + owner(there.segmentOwner(block));
            }
            if (!there.use(block)) {
                return "lends " + BlockLocation.toString(location + i)
                        + " to a client, which a file or another loan uses too";
            }
        }
        return "";
    }

    private static int check(PoolView pool, long at) {
        CRC32C crc = new CRC32C();
        crc.update(pool.memory().asSlice(at, ReservationLayout.CHECK_OFFSET).asByteBuffer());
        crc.update(pool.memory()
                .asSlice(at + ReservationLayout.CLIENT_ID_OFFSET, 2 * Long.BYTES)
                .asByteBuffer());
        return (int) crc.getValue();
    }

    private static String owner(int shard) {
        return shard < 0 ? "nobody" : "shard " + shard;
    }

    // ------------------------------------------------------------------------------------------------ files

    private void doubles() {
        List<Use> uses = new ArrayList<>();
        InodeRecord inode = new InodeRecord();
        for (int place = 0; place < index.places(); place++) {
            if (index.ino(place) != 0) {
                PoolView pool = cluster.homePool(index.ino(place));
                long slot = pool.slotOffset(index.slot(place));
                inode.wrap(pool.memory(), slot, slot);
                if (inode.isRegular()) {
                    maps.collect(pool, inode, uses);
                }
            }
        }
        Map<Long, List<Use>> byBlock = new TreeMap<>();
        for (Use use : uses) {
            byBlock.computeIfAbsent(BlockLocation.withoutFlags(use.location()), _ -> new ArrayList<>())
                    .add(use);
        }
        for (List<Use> users : byBlock.values()) {
            users.sort(Comparator.comparing((Use use) -> !mover.isIntact(use)));
            for (Use loser : users.subList(Math.min(1, users.size()), users.size())) {
                shared(users.getFirst(), loser);
            }
        }
    }

    private void shared(Use keeper, Use loser) {
        boolean intact = mover.isIntact(loser);
        findings.error(
                BlockLocation.node(loser.location()),
                loser.ino(),
                BlockLocation.poolOffset(loser.location()),
                "a block belongs to " + paths.name(keeper.ino()) + " (its block " + keeper.fileBlock() + ") and to "
                        + paths.name(loser.ino()) + " (its block " + loser.fileBlock() + ")",
                intact
                        ? "the content fits both; the second one gets a copy"
                        : "the content is that of the first, by its checksum; in the second file bytes " + bytes(loser)
                                + " are lost and read as zeros, restore it",
                Stage.REFERENCE,
                () -> {
                    if (intact) {
                        mover.copy(loser);
                    } else {
                        BlockMapCheck.clearEntry(loser.pool(), loser.entryOffset());
                    }
                });
    }

    private static String bytes(Use use) {
        long from = use.fileBlock() << BlockLocation.BLOCK_SHIFT;
        return from + " to " + (from + BlockLocation.BLOCK_BYTES - 1);
    }

    private void stranger(Use use) {
        PoolView there = cluster.pool(BlockLocation.node(use.location()));
        long block = BlockLocation.block(use.location());
        int owner = there.segmentOwner(block);
        int shard = InodeNumber.shard(use.ino());
        boolean free = owner < 0 || owner >= cluster.shardCount();
        int segment = there.segmentOf(block);
        boolean intact = mover.isIntact(use);
        String remedy = free
                ? "the segment is given to shard " + shard
                : intact
                        ? "the block is copied to a segment of shard " + shard
                        : "bytes " + bytes(use) + " of the file are lost and read as zeros; restore it";
        findings.error(
                there.node(),
                use.ino(),
                BlockLocation.poolOffset(use.location()),
                "block " + use.fileBlock() + " of " + paths.name(use.ino()) + " lies in segment " + segment
                        + ", which belongs to " + (free ? "nobody" : owner(owner)) + " and not to shard " + shard,
                remedy,
                Stage.REFERENCE,
                () -> {
                    int now = there.segmentOwner(block);
                    if (cluster.mayUse(shard, now)) {
                        return;
                    }
                    if (now < 0 || now >= cluster.shardCount()) {
                        long word = there.segmentWordOffset(segment);
                        Mender.word(there, word, SegmentTableLayout.successor(there.readLong(word), shard));
                    } else if (intact) {
                        mover.copy(use);
                    } else {
                        BlockMapCheck.clearEntry(use.pool(), use.entryOffset());
                    }
                });
    }
}
