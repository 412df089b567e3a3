package org.octofs.client.data;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.octofs.client.link.Links;
import org.octofs.client.link.Scratch;
import org.octofs.client.link.ScratchPool;
import org.octofs.client.link.VerbBatch;
import org.octofs.rpc.fabric.PieceListener;
import org.octofs.rpc.protocol.BlockLocation;

/**
 * What one thread needs to move data: a batch of verbs, scratch memory, checksums. Borrowed from an
 * {@link ScratchPool} for the length of one operation. Confined to its borrower.
 */
final class IoContext extends Scratch implements PieceListener {
    static final int BLOCK = BlockLocation.BLOCK_BYTES;

    /** Most blocks that an operation reads through scratch at a time: the ends of a range and overlaid ones. */
    static final int SCRATCH_BLOCKS = 64;

    private static final int IMAGE_BYTES = 256;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Scratch for whole blocks. */
    final MemorySegment blocks;

    /** An inode image; its first word also takes the version word that is read last. */
    final MemorySegment image;

    final ReadPlan plan;

    final CommitCall commit;

    final CopyPlan copy = new CopyPlan();

    /** Where the blocks that are merged in {@link #blocks} are to be pushed. */
    final long[] mergedLocations = new long[SCRATCH_BLOCKS];

    int mergedCount;

    /** A run of lent blocks, as answered by {@link BlockLoans}. */
    long runLocation;

    int runBlocks;

    /** Whether a write may have what is pending committed while it goes on: not one that must become visible as a whole. */
    boolean mayCommitBehind;

    /** What is being written has to become visible at once: not a part of it to make room for the rest. */
    boolean inOneCommit;

    /** As {@link #inOneCommit}, whatever may be pending: what is committed is where the file ended when this began. */
    boolean isAppend;

    /** Most whole blocks that a write pushes together. */
    static final int PUSH_BLOCKS = 256;

    /** Checksums of the whole blocks that a write has pushed, taken while they were being moved. */
    final int[] pushedChecksums = new int[PUSH_BLOCKS];

    /** Where the first of them begins in the caller's memory. */
    long pushedFrom;

    /** Runs of blocks that a write is pushing, in the order of the file. */
    final long[] runLocations = new long[VerbBatch.DATA_CAPACITY];

    final int[] runCounts = new int[VerbBatch.DATA_CAPACITY];
    int runs;

    private final BlockChecksum checksum = new BlockChecksum();
    private final BlockChecksum scratchChecksum = new BlockChecksum();

    IoContext(Links links, Arena arena) {
        super(links, VerbBatch.DATA_CAPACITY);
        blocks = arena.allocate((long) SCRATCH_BLOCKS * BLOCK, BLOCK);
        image = arena.allocate(IMAGE_BYTES, IMAGE_BYTES);
        plan = new ReadPlan(verbs, blocks, links.config().verifyReads());
        commit = new CommitCall();
    }

    void addRun(long location, int blockCount) {
        runLocations[runs] = location;
        runCounts[runs++] = blockCount;
    }

    /** The version word that was read last into {@link #image}. */
    long versionWord() {
        return image.get(LONG, 0);
    }

    /** A whole block of the caller's memory has been pushed. */
    @Override
    public void moved(MemorySegment local, long localOffset, int lengthBytes) {
        pushedChecksums[(int) ((localOffset - pushedFrom) / BLOCK)] = checksum.of(local, localOffset);
    }

    /** CRC32C of a block of {@link #blocks}. */
    int checksumOfScratch(int index) {
        return scratchChecksum.of(blocks, (long) index * BLOCK);
    }
}
