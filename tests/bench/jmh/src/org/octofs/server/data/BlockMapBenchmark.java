package org.octofs.server.data;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.octofs.rpc.protocol.BlockEntryLayout;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The home's map of a file of 1,024 blocks, whose map has two levels. */
@State(Scope.Thread)
public class BlockMapBenchmark {
    private static final int SHARD = 2;
    private static final int BLOCKS = 1024;
    private static final int READ_BLOCKS = 256;

    private final MessageBuffer target = new MessageBuffer(Arena.ofAuto().allocate(READ_BLOCKS * BlockEntryLayout.SIZE_BYTES));
    private final SplittableRandom random = new SplittableRandom(1);
    private BlockMapReader reader;
    private InodeRecord inode;

    @Setup
    public void map() {
        DataNode node = DataNode.create();
        long ino = node.createFile(SHARD);
        MessageBuffer checksums = new MessageBuffer(MemorySegment.ofArray(new byte[BLOCKS * Integer.BYTES]));
        for (int from = 0; from < BLOCKS; ) {
            MetaTransaction tx = node.state.begin(RecordType.COMMIT);
            BlockMapEditor editor = node.files.editor();
            editor.begin(tx, node.state.inodes().edit(tx, ino), SHARD);
            long location = node.files.space().allocator(SHARD).allocate(0, BLOCKS - from);
            if (location == 0) {
                node.files.segments().ask(0, SHARD);
                location = node.files.space().allocator(SHARD).allocate(0, BLOCKS - from);
            }
            int count = node.files.space().allocator(SHARD).lastCount();
            editor.set(from, location, count, checksums, 0);
            editor.end();
            tx.commit();
            node.settle();
            from += count;
        }
        reader = node.files.reader();
        inode = node.inode(ino);
        for (int block = 0; block < BLOCKS; block++) {
            if (reader.location(inode, block) == 0) {
                throw new IllegalStateException("block " + block + " is a hole");
            }
        }
    }

    /** Of one block, anywhere. */
    @Benchmark
    public long location() {
        return reader.location(inode, random.nextInt(BLOCKS));
    }

    /** What a client gets that asks for a map: 256 entries, over two leaves. */
    @Benchmark
    public int entries() {
        return reader.read(inode, random.nextInt(BLOCKS - READ_BLOCKS), READ_BLOCKS, target, 0);
    }
}
