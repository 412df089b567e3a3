package org.octofs.client.data;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.octofs.rpc.protocol.BlockLocation;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** CRC32C of blocks in the caches, and of 1 MiB that may not be in the nearest. */
@State(Scope.Thread)
public class ChecksumBenchmark {
    private static final int LARGE = 1 << 20;

    private final MemorySegment memory = Arena.ofAuto().allocate(LARGE, BlockLocation.BLOCK_BYTES).fill((byte) 5);
    private final BlockChecksum checksum = new BlockChecksum();

    @Benchmark
    public int block() {
        return checksum.of(memory, 0);
    }

    @Benchmark
    public int mebibyte() {
        int sum = 0;
        for (int at = 0; at < LARGE; at += BlockLocation.BLOCK_BYTES) {
            sum += checksum.of(memory, at);
        }
        return sum;
    }
}
