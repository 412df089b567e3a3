package org.octofs.server.data;

import static org.octofs.server.data.BlockMapLayout.FILE_BLOCKS_MAX;
import static org.octofs.server.data.BlockMapLayout.blocksFor;

import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.CommitExtentLayout;
import org.octofs.rpc.protocol.CommitFlags;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.CommitRequest;
import org.octofs.server.ops.OperationException;

/**
 * A COMMIT as read from its message: copied once and checked once, since the sender could still write into the message.
 * Only the checksums stay there; they are not checked by anybody but readers of the data.
 *
 * <p>Threading: confined to the server's worker. Allocates nothing after construction.
 */
final class CommitExtents {
    /** Most blocks but those of holes, and most extents, of one COMMIT. */
    static final int BLOCKS_MAX = 4096;

    private static final long TO_THE_END = 0xFFFF_FFFFL;
    private static final int KNOWN_FLAGS = CommitFlags.APPEND
            | CommitFlags.SET_SIZE
            | CommitFlags.KEEP_SIZE
            | CommitFlags.KEEP_MTIME
            | CommitFlags.IF_UNCHANGED;
    private static final int KNOWN_EXTENT_FLAGS = CommitExtentLayout.FLAG_MERGED | CommitExtentLayout.FLAG_UNWRITTEN;
    private static final int NANOS_PER_SECOND = 1_000_000_000;

    private final CommitRequest message = new CommitRequest();
    private final long[] fileBlocks = new long[BLOCKS_MAX];
    private final long[] locations = new long[BLOCKS_MAX];
    private final long[] expected = new long[BLOCKS_MAX];
    private final long[] blockCounts = new long[BLOCKS_MAX];
    private final int[] extentFlags = new int[BLOCKS_MAX];
    private final int[] checksumsAt = new int[BLOCKS_MAX];
    private final long[] mappedLocations = new long[BLOCKS_MAX];
    private final int[] mapped = new int[BLOCKS_MAX];
    private final RunOrder order = new RunOrder(BLOCKS_MAX);

    private long ino;
    private long baseVersion;
    private long sizeBytes;
    private long expectedSizeBytes;
    private long mtimeSec;
    private int mtimeNsec;
    private int flags;
    private int wantBlocks;
    private int count;
    private int mappedCount;
    private long nextBlock;

    /**
     * Reads and checks.
     *
     * @throws OperationException EINVAL or EFBIG, see {@link CommitHandler}
     * @throws org.octofs.rpc.protocol.ProtocolException if the message is shorter than it claims
     */
    void read(MessageBuffer body) {
        message.wrap(body);
        ino = message.ino();
        baseVersion = message.baseVersion();
        sizeBytes = message.sizeBytes();
        expectedSizeBytes = message.expectedSizeBytes();
        mtimeSec = message.mtimeSec();
        mtimeNsec = message.mtimeNsec();
        flags = message.flags();
        wantBlocks = message.wantBlocks();
        count = message.extentsCount();
        int checksums = message.checksumsCount();
        check(count >= 0 && count <= BLOCKS_MAX, Errno.EFBIG);
        check(sizeBytes >= 0, Errno.EFBIG);
        check((flags & ~KNOWN_FLAGS) == 0 && mtimeNsec >= 0 && mtimeNsec < NANOS_PER_SECOND, Errno.EINVAL);
        check(
                (flags & (CommitFlags.SET_SIZE | CommitFlags.KEEP_SIZE))
                        != (CommitFlags.SET_SIZE | CommitFlags.KEEP_SIZE),
                Errno.EINVAL);
        readExtents(body, checksums);
        for (int i = 0; i < mappedCount; i++) {
            mappedLocations[i] = locations[mapped[i]];
        }
        order.sort(mappedLocations, mappedCount);
    }

    private void readExtents(MessageBuffer body, int checksums) {
        int nextChecksum = CommitRequest.FIXED_BYTES + count * CommitExtentLayout.SIZE_BYTES;
        int checksumsEnd =
                body.check(nextChecksum, Math.multiplyExact(checksums, Integer.BYTES)) + checksums * Integer.BYTES;
        long total = 0;
        long end = 0;
        mappedCount = 0;
        for (int i = 0; i < count; i++) {
            int at = CommitRequest.FIXED_BYTES + i * CommitExtentLayout.SIZE_BYTES;
            long fileBlock = body.getU64(at + CommitExtentLayout.FILE_BLOCK_OFFSET);
            long location = body.getU64(at + CommitExtentLayout.LOCATION_OFFSET);
            long blocks = body.getU32(at + CommitExtentLayout.BLOCK_COUNT_OFFSET);
            int extentFlag = body.getI32(at + CommitExtentLayout.FLAGS_OFFSET);
            check(fileBlock >= end && blocks > 0 && (extentFlag & ~KNOWN_EXTENT_FLAGS) == 0, Errno.EINVAL);
            check((extentFlag & CommitExtentLayout.FLAG_MERGED) == 0 || blocks == 1, Errno.EINVAL);
            check(fileBlock < FILE_BLOCKS_MAX, Errno.EFBIG);
            boolean unwritten = (extentFlag & CommitExtentLayout.FLAG_UNWRITTEN) != 0;
            if (location == BlockLocation.HOLE && !unwritten) {
                blocks = blocks == TO_THE_END ? FILE_BLOCKS_MAX - fileBlock : blocks;
                check(blocks <= FILE_BLOCKS_MAX - fileBlock, Errno.EFBIG);
            } else {
                total += blocks;
                check(total <= BLOCKS_MAX && blocks <= FILE_BLOCKS_MAX - fileBlock, Errno.EFBIG);
            }
            checksumsAt[i] = -1;
            if (location != BlockLocation.HOLE) {
                check(location == BlockLocation.withoutFlags(location), Errno.EINVAL);
                check((flags & CommitFlags.SET_SIZE) == 0 || fileBlock + blocks <= blocksFor(sizeBytes), Errno.EINVAL);
                mapped[mappedCount++] = i;
                if (!unwritten) {
                    checksumsAt[i] = nextChecksum;
                    nextChecksum += (int) blocks * Integer.BYTES;
                }
            }
            fileBlocks[i] = fileBlock;
            locations[i] = location;
            expected[i] = body.getU64(at + CommitExtentLayout.EXPECTED_LOCATION_OFFSET);
            blockCounts[i] = blocks;
            extentFlags[i] = extentFlag;
            end = fileBlock + blocks;
        }
        check(nextChecksum == checksumsEnd, Errno.EINVAL);
        nextBlock = Math.min(end, FILE_BLOCKS_MAX - 1);
    }

    private static void check(boolean good, Errno errno) {
        if (!good) {
            throw OperationException.of(errno);
        }
    }

    long ino() {
        return ino;
    }

    long baseVersion() {
        return baseVersion;
    }

    long sizeBytes() {
        return sizeBytes;
    }

    long expectedSizeBytes() {
        return expectedSizeBytes;
    }

    long mtimeSec() {
        return mtimeSec;
    }

    int mtimeNsec() {
        return mtimeNsec;
    }

    boolean hasFlag(int flag) {
        return (flags & flag) != 0;
    }

    int wantBlocks() {
        return wantBlocks;
    }

    /** File block behind the last extent: the next write is likely to go there. */
    long nextBlock() {
        return nextBlock;
    }

    int count() {
        return count;
    }

    long fileBlock(int i) {
        return fileBlocks[i];
    }

    boolean isHole(int i) {
        return locations[i] == BlockLocation.HOLE && !isUnwritten(i);
    }

    /** Whether what is mapped there stays and reads as zeros. */
    boolean isZeroed(int i) {
        return locations[i] == BlockLocation.HOLE && isUnwritten(i);
    }

    private boolean isUnwritten(int i) {
        return (extentFlags[i] & CommitExtentLayout.FLAG_UNWRITTEN) != 0;
    }

    /** As lent, without flags. */
    long location(int i) {
        return locations[i];
    }

    /** As it goes into the map. */
    long mappedLocation(int i) {
        return isUnwritten(i) ? locations[i] | BlockLocation.UNWRITTEN : locations[i];
    }

    long expectedLocation(int i) {
        return expected[i];
    }

    boolean isMerged(int i) {
        return (extentFlags[i] & CommitExtentLayout.FLAG_MERGED) != 0;
    }

    long blockCount(int i) {
        return blockCounts[i];
    }

    /** Where in the message the extent's checksums begin, -1 = it has none. */
    int checksumsAt(int i) {
        return checksumsAt[i];
    }

    /** Extents with a location. */
    int mappedCount() {
        return mappedCount;
    }

    /** The extent with the {@code i}-th lowest location. */
    int byLocation(int i) {
        return mapped[order.at(i)];
    }
}
