package org.octofs.client.cache;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.octofs.rpc.protocol.InodeLayout;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The client's map of a file of 1 GiB, in runs of 1 MiB or in scattered blocks. */
@State(Scope.Thread)
public class MapCacheBenchmark {
    private static final int CHUNKS = 1024;
    private static final int BLOCKS = CHUNKS * MapCache.CHUNK_BLOCKS;

    private final MapCache runs = new MapCache();
    private final MapCache scattered = new MapCache();
    private final int[] checksums = new int[MapCache.CHUNK_BLOCKS];
    private final boolean[] verified = new boolean[MapCache.CHUNK_BLOCKS];
    private final SplittableRandom random = new SplittableRandom(1);

    @Setup
    public void map() {
        // As of a new file: all that is not known is a hole.
        MemorySegment newFile = MemorySegment.ofArray(new long[InodeLayout.SIZE_BYTES / Long.BYTES]);
        runs.loadInline(newFile, 0);
        scattered.loadInline(newFile, 0);
        // Away from 0, which is a hole.
        long location = MapCache.CHUNK_BLOCKS;
        for (int chunk = 0; chunk < CHUNKS; chunk++) {
            runs.setRun((long) chunk * MapCache.CHUNK_BLOCKS, location, checksums, 0, MapCache.CHUNK_BLOCKS);
            location += 2 * MapCache.CHUNK_BLOCKS;
        }
        for (int block = 0; block < BLOCKS; block++) {
            scattered.set(block, location + (block ^ 1), block);
        }
    }

    /** What a read of 4 KiB asks. */
    @Benchmark
    public long block() {
        return look(runs, random.nextInt(BLOCKS), 1);
    }

    /** The same where no block follows its neighbour. */
    @Benchmark
    public long scatteredBlock() {
        return look(scattered, random.nextInt(BLOCKS), 1);
    }

    /** What a read of 1 MiB asks. */
    @Benchmark
    public long mebibyte() {
        return look(runs, random.nextInt(CHUNKS) * MapCache.CHUNK_BLOCKS, MapCache.CHUNK_BLOCKS);
    }

    private long look(MapCache map, int block, int count) {
        if (!map.knows(block) || map.run(block, count) < count) {
            throw new IllegalStateException("block " + block + " is not there");
        }
        map.describe(block, count, checksums, verified, 0);
        return map.location(block) + checksums[0];
    }
}
