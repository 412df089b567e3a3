package org.octofs.client.data;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.octofs.client.link.VerbBatch;
import org.octofs.rpc.fabric.PieceListener;
import org.octofs.rpc.protocol.BlockLocation;

/**
 * Where the bytes of one piece of a read come from, block by block, and what is to be done once they have arrived.
 *
 * <p>Whole blocks are fetched straight into the caller's memory, consecutive ones together. A block of which only a part
 * is wanted, or over which lie own bytes, is fetched whole into scratch, so that its checksum can be checked.
 *
 * <p>Confined to its {@link IoContext}. Allocates nothing.
 */
final class ReadPlan implements PieceListener {
    private static final int BLOCK = IoContext.BLOCK;
    private static final int BLOCKS_MAX = FileReader.PIECE_BLOCKS + 1;

    /** Complete as it is: zeros, or own bytes. */
    private static final byte DONE = 0;

    /** Fetched into the caller's memory. */
    private static final byte DIRECT = 1;

    /** Fetched into scratch, a part of it to be copied. */
    private static final byte SCRATCH = 2;

    /** As SCRATCH, with own bytes to be laid over it. */
    private static final byte MERGED = 3;

    private final VerbBatch verbs;
    private final MemorySegment scratch;
    private final byte[] kinds = new byte[BLOCKS_MAX];
    private final int[] checksums = new int[BLOCKS_MAX];
    private final int[] arrived = new int[BLOCKS_MAX];
    private final BlockChecksum checksum;
    private final boolean verify;
    private final boolean[] verified = new boolean[BLOCKS_MAX];
    private final boolean[] mapped = new boolean[BLOCKS_MAX];
    private final short[] scratchSlots = new short[BLOCKS_MAX];
    private FileState file;
    private MemorySegment target;
    private long targetOffset;
    private long offset;
    private int bytes;
    private int blocks;
    private int scratchUsed;
    private int otherNodes;
    private long unknownBlock;
    private boolean endsFile;

    // A run of consecutive blocks that is being collected.
    private long runLocation;
    private int runBlocks;
    private long runTarget;
    private boolean runUnverified;

    ReadPlan(VerbBatch verbs, MemorySegment scratch, boolean verify) {
        this.verbs = verbs;
        this.scratch = scratch;
        this.verify = verify;
        this.checksum = new BlockChecksum();
    }

    /** Plans a piece of at most {@link FileReader#PIECE_BLOCKS} blocks (one more if it begins inside of one). */
    void begin(FileState newFile, long newOffset, MemorySegment newTarget, long newTargetOffset, int length) {
        file = newFile;
        target = newTarget;
        targetOffset = newTargetOffset;
        offset = newOffset;
        bytes = (int) Math.max(0, Math.min(length, newFile.sizeBytes() - newOffset));
        endsFile = length >= newFile.sizeBytes() - newOffset;
        blocks = 0;
        scratchUsed = 0;
        otherNodes = 0;
        unknownBlock = -1;
        runBlocks = 0;
        verbs.clear();
        boolean overlaid = isOverlaid();
        while (plannedBytes() < bytes) {
            if (!overlaid && verbs.hasRoom() && planRun()) {
                continue;
            }
            if (!verbs.hasRoom() || scratchUsed == IoContext.SCRATCH_BLOCKS || !planBlock()) {
                bytes = plannedBytes();
                endsFile = false;
                break;
            }
        }
        endRun();
    }

    /** A block whose location has to be asked for first, -1 if there is none. */
    long unknownBlock() {
        return unknownBlock;
    }

    /** Bytes that this piece covers. */
    int bytes() {
        return bytes;
    }

    /** Whether the file ended within the piece. What is behind it by now is not part of the same read: it was written later. */
    boolean endsFile() {
        return endsFile;
    }

    /** Whether all fetched blocks are on one node, this. */
    boolean onlyTouches(int node) {
        return otherNodes == 0 || (node < 31 && otherNodes == 1 << node);
    }

    private int plannedBytes() {
        return blocks == 0 ? 0 : (int) Math.min(bytes, (offset / BLOCK + blocks) * BLOCK - offset);
    }

    private boolean isOverlaid() {
        long first = offset / BLOCK;
        long last = (offset + bytes - 1) / BLOCK;
        return !file.partials.isEmpty() || file.pending.mayTouch(first, last) || file.inFlight.mayTouch(first, last);
    }

    /** Plans whole committed blocks that lie together: the usual case, at a small cost per block. */
    private boolean planRun() {
        long block = offset / BLOCK + blocks;
        long at = block * BLOCK;
        int whole = at < offset ? 0 : (int) ((offset + bytes - at) / BLOCK);
        int run = whole == 0 ? 0 : file.map.run(block, Math.min(whole, BLOCKS_MAX - blocks));
        if (run == 0) {
            return false;
        }
        boolean allVerified = file.map.describe(block, run, checksums, verified, blocks);
        Arrays.fill(kinds, blocks, blocks + run, DIRECT);
        Arrays.fill(mapped, blocks, blocks + run, true);
        direct(file.map.location(block), targetOffset + at - offset, run, !allVerified);
        return true;
    }

    private boolean planBlock() {
        long block = offset / BLOCK + blocks;
        long at = Math.max(offset, block * BLOCK);
        int length = (int) Math.min(offset + bytes - at, BLOCK - at % BLOCK);
        PartialBlock partial = file.partials.get(block);
        if (partial != null && partial.isWhole()) {
            MemorySegment.copy(partial.content, at % BLOCK, target, targetOffset + at - offset, length);
            kinds[blocks++] = DONE;
            return true;
        }
        PendingBlocks own = file.pending;
        int index = partial == null ? own.find(block) : -1;
        if (index < 0) {
            own = file.inFlight;
            index = own.find(block);
        }
        long location;
        if (index >= 0) {
            location = own.location(index);
            checksums[blocks] = own.checksum(index);
            verified[blocks] = false;
            mapped[blocks] = false;
        } else if (file.map.knows(block)) {
            location = file.map.location(block);
            checksums[blocks] = file.map.checksum(block);
            verified[blocks] = file.map.isVerified(block);
            mapped[blocks] = true;
        } else {
            unknownBlock = block;
            return false;
        }
        boolean zeros = location == BlockLocation.HOLE || BlockLocation.isUnwritten(location);
        if (partial != null) {
            toScratch(MERGED, zeros ? BlockLocation.HOLE : location);
        } else if (zeros) {
            target.asSlice(targetOffset + at - offset, length).fill((byte) 0);
            kinds[blocks++] = DONE;
        } else if (length == BLOCK) {
            kinds[blocks] = DIRECT;
            direct(location, targetOffset + at - offset, 1, !verified[blocks]);
        } else {
            toScratch(SCRATCH, location);
        }
        return true;
    }

    private void direct(long location, long targetAt, int count, boolean unverified) {
        blocks += count;
        if (runBlocks > 0 && location == runLocation + runBlocks && targetAt == runTarget + (long) runBlocks * BLOCK) {
            runBlocks += count;
            runUnverified |= unverified;
            return;
        }
        endRun();
        runLocation = location;
        runTarget = targetAt;
        runBlocks = count;
        runUnverified = unverified;
    }

    private void endRun() {
        if (runBlocks > 0) {
            int node = BlockLocation.node(runLocation);
            PieceListener listener = verify && runUnverified ? this : null;
            verbs.read(node, BlockLocation.poolOffset(runLocation), target, runTarget, runBlocks * BLOCK, listener);
            touch(node);
            runBlocks = 0;
        }
    }

    /** A whole block has arrived in the caller's memory. */
    @Override
    public void moved(MemorySegment local, long localOffset, int lengthBytes) {
        int index = (int) ((offset + localOffset - targetOffset) / BLOCK - offset / BLOCK);
        if (!verified[index]) {
            arrived[index] = checksum.of(local, localOffset);
        }
    }

    private void toScratch(byte kind, long location) {
        endRun();
        int slot = scratchUsed++;
        if (location == BlockLocation.HOLE) {
            scratch.asSlice((long) slot * BLOCK, BLOCK).fill((byte) 0);
            scratchSlots[blocks] = (short) ~slot; // nothing fetched, nothing to check
        } else {
            int node = BlockLocation.node(location);
            verbs.read(node, BlockLocation.poolOffset(location), scratch, (long) slot * BLOCK, BLOCK);
            touch(node);
            scratchSlots[blocks] = (short) slot;
        }
        kinds[blocks++] = kind;
    }

    private void touch(int node) {
        otherNodes |= 1 << Math.min(node, 31);
    }

    /**
     * Checks what was fetched and completes the caller's memory.
     *
     * @return a file block that does not match its checksum, -1 if all do
     */
    long finish(IoContext io) {
        long first = offset / BLOCK;
        for (int i = 0; i < blocks; i++) {
            long at = Math.max(offset, (first + i) * BLOCK);
            long targetAt = targetOffset + at - offset;
            switch (kinds[i]) {
                case DIRECT -> {
                    if (verify && !verified[i]) {
                        if (arrived[i] != checksums[i]) {
                            return first + i;
                        }
                        remember(i, first + i);
                    }
                }
                case SCRATCH, MERGED -> {
                    int slot = scratchSlots[i] < 0 ? ~scratchSlots[i] : scratchSlots[i];
                    if (verify && scratchSlots[i] >= 0 && !verified[i]) {
                        if (io.checksumOfScratch(slot) != checksums[i]) {
                            return first + i;
                        }
                        remember(i, first + i);
                    }
                    if (kinds[i] == MERGED) {
                        file.partials.get(first + i).overlay(scratch, (long) slot * BLOCK);
                    }
                    // Not by the end of the block, which no number has in the last one.
                    int length = (int) Math.min(offset + bytes - at, BLOCK - at % BLOCK);
                    MemorySegment.copy(scratch, (long) slot * BLOCK + at % BLOCK, target, targetAt, length);
                }
                default -> {}
            }
        }
        file = null;
        target = null;
        return -1;
    }

    /** The same block at the same place need not be checked again. */
    private void remember(int index, long fileBlock) {
        if (mapped[index]) {
            file.map.markVerified(fileBlock);
        }
    }
}
