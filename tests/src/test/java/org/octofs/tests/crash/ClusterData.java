package org.octofs.tests.crash;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongToIntFunction;
import org.octofs.rpc.protocol.BlockEntryLayout;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.CommitExtentLayout;
import org.octofs.rpc.protocol.CommitFlags;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.CommitRequest;
import org.octofs.rpc.protocol.message.CopyBlocksRequest;
import org.octofs.rpc.protocol.message.GrantReply;
import org.octofs.rpc.protocol.message.InodeReply;
import org.octofs.rpc.protocol.message.InodeRequest;
import org.octofs.rpc.protocol.message.MapReply;
import org.octofs.rpc.protocol.message.MapRequest;
import org.octofs.rpc.protocol.message.PersistRequest;
import org.octofs.rpc.protocol.message.RegionsReply;
import org.octofs.rpc.protocol.message.ReserveRequest;
import org.octofs.rpc.protocol.message.ReturnBlocksRequest;
import org.octofs.server.store.InodeRecord;

/** Loans, pushes and commits of a client, as messages to the servers of a {@link CrashWorld}. */
final class ClusterData {
    private static final int ATTEMPTS_MAX = 1000;

    private final CrashWorld world;
    private final WireClient client;
    private final List<long[]> borrowed = new ArrayList<>();

    ClusterData(CrashWorld world, WireClient client) {
        this.world = world;
        this.client = client;
    }

    private List<long[]> borrow(long ino, long firstBlock, int blockCount) {
        List<long[]> grants = new ArrayList<>();
        long have = 0;
        while (have < blockCount) {
            long at = firstBlock + have;
            int wanted = (int) (blockCount - have);
            MessageBuffer body = client.ok(
                    world.home(ino),
                    OpCode.RESERVE,
                    request -> new ReserveRequest()
                            .wrap(request)
                            .ino(ino)
                            .firstBlock(at)
                            .blockCount(wanted)
                            .reserved(0)
                            .bodyBytes());
            GrantReply reply = new GrantReply().wrap(body);
            for (int i = 0; i < reply.grantsCount(); i++) {
                long location = body.getU64(reply.grants(i));
                long count = Math.min(body.getU32(reply.grants(i) + Long.BYTES), blockCount - have);
                if (count > 0) {
                    grants.add(new long[] {location, count});
                    have += count;
                }
            }
        }
        return grants;
    }

    void reserve(long ino, long firstBlock, int blockCount) {
        borrowed.addAll(borrow(ino, firstBlock, blockCount));
    }

    void giveBack(long ino) {
        client.ok(world.home(ino), OpCode.RETURN_BLOCKS, body -> {
            ReturnBlocksRequest request = new ReturnBlocksRequest().wrap(body);
            request.ino(ino).grantsCount(borrowed.size());
            for (int i = 0; i < borrowed.size(); i++) {
                int at = request.grants(i);
                body.putU64(at, borrowed.get(i)[0]);
                body.putU32(at + Long.BYTES, borrowed.get(i)[1]);
                body.putU32(at + Long.BYTES + Integer.BYTES, 0);
            }
            return request.bodyBytes();
        });
        borrowed.clear();
    }

    void write(long ino, long firstBlock, int blockCount, int seed) {
        write(ino, firstBlock, blockCount, seed, 0);
    }

    private void write(long ino, long firstBlock, int blockCount, int seed, int flags) {
        List<long[]> grants = borrow(ino, firstBlock, blockCount);
        push(grants, firstBlock, seed);
        List<long[]> extents = new ArrayList<>();
        long block = firstBlock;
        for (long[] grant : grants) {
            extents.add(new long[] {block, grant[0], grant[1], 0});
            block += grant[1];
        }
        commit(ino, extents, of(seed), (firstBlock + blockCount) * Blocks.BYTES, firstBlock * Blocks.BYTES, flags);
    }

    private static LongToIntFunction of(int seed) {
        return block -> Blocks.checksum(Blocks.of(seed, block));
    }

    /** Of blocks that have none. */
    private static int none(long block) {
        return 0;
    }

    /** What is copied is committed with the checksums that the source has. */
    void copy(long source, long ino, long firstBlock, int blockCount) {
        MessageBuffer map = map(source, firstBlock, blockCount);
        MapReply entries = new MapReply().wrap(map);
        long[] sources = new long[blockCount];
        Map<Long, Integer> checksums = new TreeMap<>();
        for (int i = 0; i < blockCount; i++) {
            sources[i] = map.getU64(entries.entries(i) + BlockEntryLayout.LOCATION_OFFSET);
            checksums.put(firstBlock + i, map.getI32(entries.entries(i) + BlockEntryLayout.CHECKSUM_OFFSET));
        }
        List<long[]> extents = new ArrayList<>();
        for (long location : borrowBeside(source, firstBlock, sources)) {
            copyBlock(sources[extents.size()], location);
            extents.add(new long[] {firstBlock + extents.size(), location, 1, 0});
        }
        commit(ino, extents, checksums::get, (firstBlock + blockCount) * Blocks.BYTES, 0, 0);
    }

    /**
     * Blocks on the same nodes as the source's. Both files have one home and shard, so that they can be borrowed in the name of the
     * source; again if a home that was restarted does not know its segments at other nodes yet.
     */
    private List<Long> borrowBeside(long source, long firstBlock, long[] sources) {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            List<Long> locations = new ArrayList<>();
            for (long[] grant : borrow(source, firstBlock, sources.length)) {
                borrowed.add(grant);
                for (int i = 0; i < grant[1]; i++) {
                    locations.add(grant[0] + i);
                }
            }
            boolean isBeside = true;
            for (int i = 0; i < sources.length; i++) {
                isBeside &= BlockLocation.node(sources[i]) == BlockLocation.node(locations.get(i));
            }
            if (isBeside) {
                borrowed.clear();
                return locations;
            }
            giveBack(source);
            world.turn();
        }
        throw new AssertionError("no blocks where the source has its own");
    }

    /** Again if the node was restarted before it could, since a request is for one life of it. */
    private void copyBlock(long source, long target) {
        int node = BlockLocation.node(source);
        Errno outcome;
        do {
            MessageBuffer body = client.ok(node, OpCode.REGIONS, _ -> 0);
            long life = new RegionsReply().wrap(body).incarnation();
            outcome = client.call(
                    node,
                    OpCode.COPY_BLOCKS,
                    request -> new CopyBlocksRequest()
                            .wrap(request)
                            .incarnation(life)
                            .rangesCount(1)
                            .range(0, BlockLocation.poolOffset(source), BlockLocation.poolOffset(target), Blocks.BYTES)
                            .bodyBytes());
        } while (outcome == Errno.ECANCELED);
        if (outcome != Errno.OK) {
            throw new AssertionError("a block could not be copied: " + outcome);
        }
    }

    private MessageBuffer map(long ino, long firstBlock, int blockCount) {
        return client.ok(
                world.home(ino),
                OpCode.MAP,
                body -> new MapRequest()
                        .wrap(body)
                        .ino(ino)
                        .firstBlock(firstBlock)
                        .blockCount(blockCount)
                        .reserved(0)
                        .bodyBytes());
    }

    /** Pushes and persists, again from the start if a node was restarted in between: what it had may be lost. */
    private void push(List<long[]> grants, long firstBlock, int seed) {
        long before;
        do {
            before = incarnations();
            long block = firstBlock;
            for (long[] grant : grants) {
                MemorySegment data = Arena.ofAuto().allocate(grant[1] * Blocks.BYTES, 64);
                for (int i = 0; i < grant[1]; i++) {
                    MemorySegment.copy(
                            MemorySegment.ofArray(Blocks.of(seed, block + i)),
                            0,
                            data,
                            (long) i * Blocks.BYTES,
                            Blocks.BYTES);
                }
                int node = BlockLocation.node(grant[0]);
                long offset = BlockLocation.poolOffset(grant[0]);
                client.push(node, offset, data);
                client.ok(node, OpCode.PERSIST, body -> {
                    PersistRequest request =
                            new PersistRequest().wrap(body).reserved(0).rangesCount(1);
                    body.putU64(request.ranges(0), offset);
                    body.putU64(request.ranges(0) + Long.BYTES, data.byteSize());
                    return request.bodyBytes();
                });
                block += grant[1];
            }
        } while (incarnations() != before);
    }

    private long incarnations() {
        long sum = 0;
        for (int node = 0; node < world.nodeCount(); node++) {
            MessageBuffer body = client.ok(node, OpCode.REGIONS, _ -> 0);
            sum += new RegionsReply().wrap(body).incarnation();
        }
        return sum;
    }

    void append(long ino, int blockCount, int seed) {
        MessageBuffer reply = client.ok(world.home(ino), OpCode.GETATTR, body -> {
            new InodeRequest().wrap(body).ino(ino);
            return InodeRequest.FIXED_BYTES;
        });
        long size = new InodeRecord()
                .wrap(reply.memory(), InodeReply.IMAGE_OFFSET, 0)
                .sizeBytes();
        write(ino, size / Blocks.BYTES, blockCount, seed, CommitFlags.APPEND);
    }

    void truncate(long ino, long sizeBytes) {
        commit(ino, List.of(), ClusterData::none, sizeBytes, 0, CommitFlags.SET_SIZE);
    }

    void punch(long ino, long firstBlock, long blockCount) {
        commit(
                ino,
                List.<long[]>of(new long[] {firstBlock, 0, blockCount, 0}),
                ClusterData::none,
                0,
                0,
                CommitFlags.KEEP_SIZE);
    }

    void zero(long ino, long firstBlock, int blockCount) {
        List<long[]> extents =
                List.<long[]>of(new long[] {firstBlock, 0, blockCount, CommitExtentLayout.FLAG_UNWRITTEN});
        commit(ino, extents, ClusterData::none, 0, 0, CommitFlags.KEEP_SIZE);
    }

    void allocate(long ino, long firstBlock, int blockCount) {
        List<long[]> extents = new ArrayList<>();
        long block = firstBlock;
        for (long[] grant : borrow(ino, firstBlock, blockCount)) {
            extents.add(new long[] {block, grant[0], grant[1], CommitExtentLayout.FLAG_UNWRITTEN});
            block += grant[1];
        }
        commit(ino, extents, ClusterData::none, 0, 0, CommitFlags.KEEP_SIZE | CommitFlags.KEEP_MTIME);
    }

    /** A larger size, and nothing else. */
    void extend(long ino, long sizeBytes) {
        commit(ino, List.of(), ClusterData::none, sizeBytes, 0, 0);
    }

    /** Writes a block that is there, if nobody else has in the meantime: what a client does with a part of a block. */
    void overwrite(long ino, long block, int seed) {
        MessageBuffer reply = map(ino, block, 1);
        MapReply map = new MapReply().wrap(reply);
        long expected = reply.getU64(map.entries(0) + BlockEntryLayout.LOCATION_OFFSET);
        List<long[]> grants = borrow(ino, block, 1);
        push(grants, block, seed);
        long[] extent = {block, grants.getFirst()[0], 1, CommitExtentLayout.FLAG_MERGED, expected};
        commit(ino, List.of(extent), of(seed), 0, 0, CommitFlags.KEEP_SIZE);
    }

    /** Extents are {file block, location, count, flags} and, for merged ones, the location that is expected. */
    private void commit(
            long ino, List<long[]> extents, LongToIntFunction checksumOf, long size, long expectedSize, int flags) {
        int checksums = 0;
        for (long[] extent : extents) {
            checksums += hasChecksums(extent) ? (int) extent[2] : 0;
        }
        int count = checksums;
        client.ok(world.home(ino), OpCode.COMMIT, body -> {
            CommitRequest message = new CommitRequest()
                    .wrap(body)
                    .ino(ino)
                    .sizeBytes(size)
                    .expectedSizeBytes(expectedSize)
                    .mtimeSec(1234)
                    .mtimeNsec(5)
                    .flags(flags)
                    .wantBlocks(0)
                    .extentsCount(extents.size())
                    .checksumsCount(count);
            int checksumAt = message.checksumsOffset();
            for (int i = 0; i < extents.size(); i++) {
                long[] extent = extents.get(i);
                int at = message.extents(i);
                body.putU64(at + CommitExtentLayout.FILE_BLOCK_OFFSET, extent[0]);
                body.putU64(at + CommitExtentLayout.LOCATION_OFFSET, extent[1]);
                body.putU64(at + CommitExtentLayout.EXPECTED_LOCATION_OFFSET, extent.length > 4 ? extent[4] : 0);
                body.putU32(at + CommitExtentLayout.BLOCK_COUNT_OFFSET, extent[2]);
                body.putU32(at + CommitExtentLayout.FLAGS_OFFSET, extent[3]);
                for (int block = 0; hasChecksums(extent) && block < extent[2]; block++) {
                    body.putU32(checksumAt, checksumOf.applyAsInt(extent[0] + block) & 0xFFFF_FFFFL);
                    checksumAt += Integer.BYTES;
                }
            }
            return CommitRequest.FIXED_BYTES + extents.size() * CommitExtentLayout.SIZE_BYTES + count * Integer.BYTES;
        });
    }

    private static boolean hasChecksums(long[] extent) {
        return extent[1] != 0 && (extent[3] & CommitExtentLayout.FLAG_UNWRITTEN) == 0;
    }
}
