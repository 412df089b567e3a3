package org.octofs.server.space;

import java.util.SplittableRandom;
import org.octofs.rpc.protocol.BlockLocation;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Blocks that come and go: in an empty allocator, and in one of 64 segments that is three quarters full of runs of all sizes. */
@State(Scope.Thread)
public class AllocatorBenchmark {
    private static final int SEGMENTS = 64;
    private static final int RUNS = 1 << 12;
    private static final int RUN_BLOCKS = 16;

    private final BlockAllocator empty = new BlockAllocator();
    private final BlockAllocator scattered = new BlockAllocator();
    private final long[] runs = new long[RUNS];
    private final int[] counts = new int[RUNS];
    private final SplittableRandom random = new SplittableRandom(1);

    @Setup
    public void fill() {
        int segmentBlocks = BlockAllocator.MAX_RUN_BLOCKS;
        for (int i = 1; i <= SEGMENTS; i++) {
            empty.addSegment(BlockLocation.of(0, (long) i * segmentBlocks), segmentBlocks);
            scattered.addSegment(BlockLocation.of(0, (long) i * segmentBlocks), segmentBlocks);
        }
        long limit = scattered.freeBlocks() / 4;
        for (int i = 0; i < RUNS && scattered.freeBlocks() > limit; i++) {
            runs[i] = scattered.allocate(0, 1 + random.nextInt(RUN_BLOCKS));
            counts[i] = scattered.lastCount();
        }
    }

    /** A run of 16, and back. */
    @Benchmark
    public long oneRun() {
        long run = empty.allocate(0, RUN_BLOCKS);
        empty.free(run, empty.lastCount());
        return run;
    }

    /** An old run goes, a new one of another size comes. */
    @Benchmark
    public long replaceARun() {
        int victim = random.nextInt(RUNS);
        if (runs[victim] != 0) {
            scattered.free(runs[victim], counts[victim]);
        }
        runs[victim] = scattered.allocate(0, 1 + random.nextInt(RUN_BLOCKS));
        counts[victim] = runs[victim] == 0 ? 0 : scattered.lastCount();
        return runs[victim];
    }
}
