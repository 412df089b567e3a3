package org.octofs.server.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.octofs.rpc.protocol.BlockEntryLayout;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;

/**
 * Goal: a block map behaves as a map from file block to {location, checksum}, and what it makes free is exactly what it no
 * longer references. Method: random edits beside a sorted map and a set of busy blocks, with restarts in between.
 */
class BlockMapTest {
    private static final int SHARD = 2;

    /** Places where edits happen: inline, first leaf, leaf borders, node borders, the end of the largest file. */
    private static final long[] BASES = {
        0, 3, 250, 256, 1000, 256L * 512 - 3, 256L * 512 * 512 - 2, 1L << 40, BlockMapLayout.FILE_BLOCKS_MAX - 40
    };

    private record Entry(long location, int checksum) {}

    @ParameterizedTest
    @ValueSource(longs = {31, 32, 33, 34})
    void behavesAsAMap(long seed) {
        Random random = new Random(seed);
        DataNode node = DataNode.create();
        long ino = node.createFile(SHARD);
        TreeMap<Long, Entry> model = new TreeMap<>();
        for (int step = 0; step < 200; step++) {
            if (random.nextInt(40) == 0) {
                node.settle();
                node = node.restart();
            }
            int bases = 1 + random.nextInt(BASES.length);
            MetaTransaction tx = node.state.begin(RecordType.COMMIT);
            TreeMap<Long, Entry> after = new TreeMap<>(model);
            edit(node, tx, ino, random, bases, after);
            if (random.nextInt(8) == 0) {
                tx.abort();
            } else {
                tx.commit();
                model = after;
            }
            if (random.nextInt(3) == 0) {
                node.settle();
            }
            compare(node, ino, model, random);
        }
        node.settle();
        assertThat(busyBlocks(node)).isEqualTo(model.size());
        int pagesBefore = node.store.freePageCount();
        node.deleteFile(ino);
        node.settle();
        assertThat(busyBlocks(node)).isZero();
        assertThat(node.store.freePageCount()).isGreaterThan(pagesBefore);
        assertThat(node.store.freePageCount()).isEqualTo(node.restart().store.freePageCount());
    }

    /** Some ranges in order, set, cleared or unwritten. */
    private static void edit(
            DataNode node, MetaTransaction tx, long ino, Random random, int bases, NavigableMap<Long, Entry> after) {
        InodeRecord inode = node.state.inodes().edit(tx, ino);
        BlockMapEditor editor = node.files.editor();
        editor.begin(tx, inode, SHARD);
        long end = 0;
        for (int i = 0; i < 3; i++) {
            long from = BASES[random.nextInt(bases)] + random.nextInt(20);
            if (from < end) {
                continue;
            }
            if (random.nextInt(3) == 0) {
                long count = random.nextInt(4) == 0 ? BlockMapLayout.FILE_BLOCKS_MAX : 1 + random.nextInt(700);
                count = Math.min(count, BlockMapLayout.FILE_BLOCKS_MAX - from);
                if (random.nextInt(3) == 0) {
                    editor.unwrite(from, from + Math.min(count, 700));
                    after.subMap(from, from + Math.min(count, 700))
                            .replaceAll((_, entry) -> new Entry(entry.location() | BlockLocation.UNWRITTEN, 0));
                } else {
                    editor.clear(from, from + count);
                    after.subMap(from, from + count).clear();
                }
                end = from + count;
            } else {
                end = set(node, tx, editor, from, 1 + random.nextInt(random.nextInt(6) == 0 ? 300 : 12), random, after);
            }
        }
        editor.end();
    }

    private static long set(
            DataNode node,
            MetaTransaction tx,
            BlockMapEditor editor,
            long from,
            int want,
            Random random,
            NavigableMap<Long, Entry> after) {
        int room = (int) Math.min(want, BlockMapLayout.FILE_BLOCKS_MAX - from);
        long location = node.files.space().allocator(SHARD).allocate(0, room);
        if (location == 0) {
            node.files.segments().ask(0, SHARD);
            location = node.files.space().allocator(SHARD).allocate(0, room);
            if (location == 0) {
                return from;
            }
        }
        int count = node.files.space().allocator(SHARD).lastCount();
        long undo = location;
        tx.afterAbort((first, n) -> node.files.space().free(SHARD, first, (int) n), undo, count);
        boolean unwritten = random.nextInt(5) == 0;
        MessageBuffer checksums = new MessageBuffer(MemorySegment.ofArray(new byte[8 + count * 4]));
        for (int i = 0; i < count; i++) {
            int checksum = unwritten ? 0 : random.nextInt();
            checksums.putU32(8 + i * 4, checksum);
            after.put(from + i, new Entry((location + i) | (unwritten ? BlockLocation.UNWRITTEN : 0), checksum));
        }
        editor.set(from, location | (unwritten ? BlockLocation.UNWRITTEN : 0), count, unwritten ? null : checksums, 8);
        return from + count;
    }

    private static void compare(DataNode node, long ino, NavigableMap<Long, Entry> model, Random random) {
        InodeRecord inode = node.inode(ino);
        assertThat(inode.blocks()).isEqualTo(model.size());
        for (Map.Entry<Long, Entry> entry : model.entrySet()) {
            assertThat(node.files.reader().location(inode, entry.getKey()))
                    .isEqualTo(entry.getValue().location());
        }
        long from = Math.max(0, BASES[random.nextInt(BASES.length)] - random.nextInt(50));
        int want = 1 + random.nextInt(600);
        MessageBuffer target = new MessageBuffer(MemorySegment.ofArray(new byte[want * BlockEntryLayout.SIZE_BYTES]));
        int count = node.files.reader().read(inode, from, want, target, 0);
        for (int i = 0; i < count; i++) {
            Entry expected = model.getOrDefault(from + i, new Entry(0, 0));
            int at = i * BlockEntryLayout.SIZE_BYTES;
            assertThat(target.getU64(at)).isEqualTo(expected.location());
            assertThat(target.getU32(at + BlockEntryLayout.CHECKSUM_OFFSET))
                    .isEqualTo(expected.checksum() & 0xFFFF_FFFFL);
            assertThat(target.getU32(at + BlockEntryLayout.RESERVED_OFFSET)).isZero();
        }
        assertThat(count == want || model.tailMap(from + count).isEmpty()).isTrue();
        long next = node.files.reader().nextMapped(inode, from);
        if (next < 0) {
            assertThat(model.tailMap(from)).isEmpty();
        } else {
            assertThat(model.subMap(from, next)).isEmpty();
            assertThat(next == from || (next > from && next % BlockMapLayout.LEAF_ENTRIES == 0))
                    .isTrue();
        }
    }

    @Test
    void theNextMappedBlockIsFoundOverHolesOfAnySize() {
        DataNode node = DataNode.create();
        long ino = node.createFile(SHARD);
        assertThat(node.files.reader().nextMapped(node.inode(ino), 6)).isEqualTo(-1);
        TreeMap<Long, Entry> model = new TreeMap<>();
        long far = BlockMapLayout.FILE_BLOCKS_MAX - 1;
        long[] blocks = {7, 300, 1L << 30, far};
        MetaTransaction tx = node.state.begin(RecordType.COMMIT);
        BlockMapEditor editor = node.files.editor();
        editor.begin(tx, node.state.inodes().edit(tx, ino), SHARD);
        for (long block : blocks) {
            assertThat(set(node, tx, editor, block, 1, new Random(1), model)).isEqualTo(block + 1);
        }
        editor.end();
        tx.commit();
        InodeRecord inode = node.inode(ino);
        BlockMapReader reader = node.files.reader();
        assertThat(reader.nextMapped(inode, 9))
                .as("the leaf of the block goes on")
                .isEqualTo(9);
        assertThat(reader.nextMapped(inode, 256)).isEqualTo(256);
        assertThat(reader.nextMapped(inode, 512)).isEqualTo(1L << 30);
        assertThat(reader.nextMapped(inode, (1L << 30) + 255)).isEqualTo((1L << 30) + 255);
        assertThat(reader.nextMapped(inode, (1L << 30) + 256)).isEqualTo(far & -BlockMapLayout.LEAF_ENTRIES);
        assertThat(reader.nextMapped(inode, far)).isEqualTo(far);
    }

    private static long busyBlocks(DataNode node) {
        return node.files.totalBlocks() - node.files.freeBlocks();
    }

    @Test
    void heightsCoverTheLargestFile() {
        assertThat(BlockMapLayout.heightFor(5)).isZero();
        assertThat(BlockMapLayout.heightFor(6)).isEqualTo(1);
        assertThat(BlockMapLayout.heightFor(255)).isEqualTo(1);
        assertThat(BlockMapLayout.heightFor(256)).isEqualTo(2);
        assertThat(BlockMapLayout.heightFor(BlockMapLayout.FILE_BLOCKS_MAX - 1)).isEqualTo(BlockMapLayout.HEIGHT_MAX);
        assertThat(BlockMapLayout.blocksFor(Long.MAX_VALUE)).isEqualTo(BlockMapLayout.FILE_BLOCKS_MAX);
        assertThat(BlockMapLayout.blocksFor(0)).isZero();
        assertThat(BlockMapLayout.blocksFor(4097)).isEqualTo(2);
        assertThat(BlockMapLayout.LEAF_ENTRIES).isEqualTo(256);
        assertThat(BlockMapLayout.NODE_POINTERS).isEqualTo(512);
    }
}
