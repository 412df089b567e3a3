package org.octofs.rpc.rpc;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.octofs.rpc.protocol.CommitExtentLayout;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.CommitRequest;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A message's header with its checksum, and the body of the COMMIT of one extent of 16 blocks. */
@State(Scope.Thread)
public class MessageBenchmark {
    private static final int SLOT_BYTES = 4096;
    private static final int BLOCKS = 16;

    private final MemorySegment slot = Arena.ofAuto().allocate(SLOT_BYTES, 64);
    private final MessageHeader header = new MessageHeader();
    private final MessageBuffer body = new MessageBuffer(Arena.ofAuto().allocate(SLOT_BYTES, 64));
    private final CommitRequest request = new CommitRequest();
    private long number;

    /** As the caller's and the server's side do. */
    @Benchmark
    public long headerThereAndBack() {
        header.lengthBytes = 256;
        header.opCode = 7;
        header.clientId = 11;
        header.requestId = ++number;
        header.write(slot, 0);
        if (header.read(slot, 0, SLOT_BYTES) != null) {
            throw new IllegalStateException("a header that was just written is refused");
        }
        return header.requestId;
    }

    /** Written and read. */
    @Benchmark
    public long commitThereAndBack() {
        request.wrap(body).ino(++number).baseVersion(2 * number).sizeBytes(BLOCKS * 4096L).flags(1);
        request.extentsCount(1);
        int at = request.extents(0);
        body.putU64(at + CommitExtentLayout.FILE_BLOCK_OFFSET, number);
        body.putU64(at + CommitExtentLayout.LOCATION_OFFSET, number + 1);
        body.putU64(at + CommitExtentLayout.EXPECTED_LOCATION_OFFSET, 0);
        body.putU32(at + CommitExtentLayout.BLOCK_COUNT_OFFSET, BLOCKS);
        body.putU32(at + CommitExtentLayout.FLAGS_OFFSET, 0);
        request.checksumsCount(BLOCKS);
        for (int i = 0; i < BLOCKS; i++) {
            body.putU32(request.checksums(i), i);
        }
        request.wrap(body);
        long sum = request.ino() + request.baseVersion() + request.sizeBytes() + request.bodyBytes();
        int extent = request.extents(0);
        sum += body.getU64(extent + CommitExtentLayout.LOCATION_OFFSET);
        for (int i = 0; i < request.checksumsCount(); i++) {
            sum += body.getU32(request.checksums(i));
        }
        return sum;
    }
}
