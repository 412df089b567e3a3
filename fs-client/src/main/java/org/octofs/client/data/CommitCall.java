package org.octofs.client.data;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.octofs.client.client.FsException;
import org.octofs.client.link.Links;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.CommitExtentLayout;
import org.octofs.rpc.protocol.CommitFlags;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.CommitReply;
import org.octofs.rpc.protocol.message.CommitRequest;

/**
 * One COMMIT: all pending blocks of a file, at most one hole or range of zeros, and a size. Reusable; fills the request and takes the reply.
 * Confined to its {@link IoContext}, used under the file's exclusive lock. Allocates nothing.
 */
final class CommitCall implements Links.Request, Links.Reply {
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** As block count of a hole: to the end of the file's map. */
    static final long TO_END = 0xFFFF_FFFFL;

    private final CommitRequest request = new CommitRequest();
    private final CommitReply reply = new CommitReply();

    // What is asked.
    private FileState file;
    private PendingBlocks blocks;
    private BlockLoans loans;
    private int flags;
    private long sizeBytes;
    private long expectedSizeBytes;
    private int wantBlocks;
    private long holeFirst;
    private long holeCount;
    private int holeFlags;
    private int extents;

    /** Places in the order of the blocks where a run begins, and the end. */
    private int[] runStarts = new int[2];

    private int runs;

    // What was answered.
    private int status;

    /** Begins a commit of what is pending, ending at the written end. */
    CommitCall begin(FileState newFile, BlockLoans newLoans) {
        return begin(newFile, newLoans, newFile.pending, newFile.writtenEnd);
    }

    /** Begins a commit of some blocks, after which the size is at least this. */
    CommitCall begin(FileState newFile, BlockLoans newLoans, PendingBlocks newBlocks, long end) {
        file = newFile;
        blocks = newBlocks;
        loans = newLoans;
        flags = 0;
        sizeBytes = end;
        expectedSizeBytes = 0;
        wantBlocks = 0;
        holeFirst = 0;
        holeCount = 0;
        holeFlags = 0;
        return this;
    }

    CommitCall flags(int value) {
        flags |= value;
        return this;
    }

    /** The new size, with SET_SIZE. */
    CommitCall setSize(long value) {
        flags |= CommitFlags.SET_SIZE;
        sizeBytes = value;
        return this;
    }

    /** The size becomes at least this. */
    CommitCall extendTo(long value) {
        sizeBytes = Math.max(sizeBytes, value);
        return this;
    }

    /** Conflict unless this is the size. */
    CommitCall append(long expected) {
        flags |= CommitFlags.APPEND;
        expectedSizeBytes = expected;
        return this;
    }

    /** Makes blocks a hole. */
    CommitCall hole(long first, long count) {
        holeFirst = first;
        holeCount = count;
        return this;
    }

    /** Makes blocks read as zeros; they keep their places. */
    CommitCall zeros(long first, long count) {
        holeFlags = CommitExtentLayout.FLAG_UNWRITTEN;
        return hole(first, count);
    }

    CommitCall want(int blocks) {
        wantBlocks = blocks;
        return this;
    }

    /** Counts extents and answers the bytes of the request. */
    int prepare() {
        PendingBlocks pending = blocks;
        pending.sort();
        runs = 0;
        for (int at = 0; at < pending.count(); at = pending.runEnd(at)) {
            beginRun(at);
        }
        runStarts[runs] = pending.count();
        extents = runs + (holeCount > 0 ? 1 : 0);
        return CommitRequest.FIXED_BYTES + extents * CommitExtentLayout.SIZE_BYTES + pending.count() * Integer.BYTES;
    }

    @Override
    public int fill(MessageBuffer body) {
        request.wrap(body)
                .ino(file.ino)
                .baseVersion(file.version)
                .sizeBytes(sizeBytes)
                .expectedSizeBytes(expectedSizeBytes)
                .mtimeSec(file.mtimeSeconds)
                .mtimeNsec(file.mtimeNanos)
                .flags(flags)
                .wantBlocks(wantBlocks)
                .reserved(0)
                .extentsCount(extents);
        int extent = fillExtents(body);
        assert extent == extents : extent + " extents, not " + extents;
        fillChecksums(body);
        return request.bodyBytes();
    }

    private void beginRun(int place) {
        if (runs + 1 == runStarts.length) {
            runStarts = Arrays.copyOf(runStarts, runStarts.length * 2);
        }
        runStarts[runs++] = place;
    }

    /** In the order of the file. */
    private int fillExtents(MessageBuffer body) {
        PendingBlocks pending = blocks;
        int extent = 0;
        boolean holeIsDue = holeCount > 0;
        for (int run = 0; run < runs; run++) {
            int index = pending.ordered(runStarts[run]);
            if (holeIsDue && pending.fileBlock(index) > holeFirst) {
                writeExtent(body, request.extents(extent++), holeFirst, 0, 0, (int) holeCount, holeFlags);
                holeIsDue = false;
            }
            writeExtent(
                    body,
                    request.extents(extent++),
                    pending.fileBlock(index),
                    BlockLocation.withoutFlags(pending.location(index)),
                    pending.expected(index),
                    runStarts[run + 1] - runStarts[run],
                    pending.flags(index));
        }
        if (holeIsDue) {
            writeExtent(body, request.extents(extent++), holeFirst, 0, 0, (int) holeCount, holeFlags);
        }
        return extent;
    }

    private void fillChecksums(MessageBuffer body) {
        PendingBlocks pending = blocks;
        int at = request.checksumsOffset();
        if (pending.isStream()) {
            long to = body.memoryOffset() + body.check(at, pending.count() * Integer.BYTES);
            MemorySegment.copy(pending.checksums(), 0, body.memory(), U32, to, pending.count());
            request.checksumsCount(pending.count());
            return;
        }
        int checksums = 0;
        for (int i = 0; i < pending.count(); i++) {
            int index = pending.ordered(i);
            if ((pending.flags(index) & CommitExtentLayout.FLAG_UNWRITTEN) == 0) {
                body.putU32(at + checksums * Integer.BYTES, pending.checksum(index));
                checksums++;
            }
        }
        request.checksumsCount(checksums);
    }

    private static void writeExtent(
            MessageBuffer body, int at, long fileBlock, long location, long expected, int count, int extentFlags) {
        body.putU64(at + CommitExtentLayout.FILE_BLOCK_OFFSET, fileBlock);
        body.putU64(at + CommitExtentLayout.LOCATION_OFFSET, location);
        body.putU64(at + CommitExtentLayout.EXPECTED_LOCATION_OFFSET, expected);
        body.putU32(at + CommitExtentLayout.BLOCK_COUNT_OFFSET, count);
        body.putU32(at + CommitExtentLayout.FLAGS_OFFSET, extentFlags);
    }

    @Override
    public void take(int newStatus, MessageBuffer body) throws FsException {
        status = newStatus;
        if (newStatus != 0 && !isConflict()) {
            return;
        }
        reply.wrap(body);
        long image = body.memoryOffset() + body.check(CommitReply.IMAGE_OFFSET, InodeLayout.SIZE_BYTES);
        MemorySegment memory = body.memory();
        file.slotOffset = reply.slotOffset();
        if (isConflict()) {
            file.view(memory, image, false);
            return;
        }
        if (file.view(memory, image, true)) {
            follow();
        }
        loans.committed(file);
        for (int i = 0; i < reply.grantsCount(); i++) {
            loans.addGrant(file, body, reply.grants(i));
        }
    }

    /** Makes in the cached map the changes that the home has made in its own. */
    private void follow() {
        boolean cuts = (flags & CommitFlags.SET_SIZE) != 0;
        // A cut may also have changed the tail; a long hole is cheaper to ask for than to follow.
        if (cuts || holeCount > PendingBlocks.CAPACITY) {
            file.dropMapUnlessInline();
        } else {
            for (long block = holeFirst; block < holeFirst + holeCount; block++) {
                long location = holeFlags == 0 ? BlockLocation.HOLE : file.map.location(block);
                file.map.set(block, location == BlockLocation.HOLE ? location : location | BlockLocation.UNWRITTEN, 0);
            }
        }
        PendingBlocks pending = blocks;
        if (pending.isStream()) {
            for (int run = 0; run < runs; run++) {
                int from = runStarts[run];
                int count = runStarts[run + 1] - from;
                file.map.setRun(pending.fileBlock(from), pending.location(from), pending.checksums(), from, count);
            }
            return;
        }
        for (int i = 0; i < pending.count(); i++) {
            boolean unwritten = (pending.flags(i) & CommitExtentLayout.FLAG_UNWRITTEN) != 0;
            long location = BlockLocation.withoutFlags(pending.location(i));
            file.map.set(
                    pending.fileBlock(i),
                    unwritten ? location | BlockLocation.UNWRITTEN : location,
                    pending.checksum(i));
        }
    }

    /** The blocks that are committed. */
    PendingBlocks blocks() {
        return blocks;
    }

    /** The status that was answered. */
    int status() {
        return status;
    }

    /** Another client was faster; the view is the present one now. */
    boolean isConflict() {
        return status == Errno.EAGAIN.value || status == Errno.ECONFLICT.value;
    }
}
