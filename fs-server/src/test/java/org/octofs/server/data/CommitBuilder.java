package org.octofs.server.data;

import java.util.ArrayList;
import java.util.List;
import org.octofs.rpc.protocol.CommitExtentLayout;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.CommitReply;
import org.octofs.rpc.protocol.message.CommitRequest;
import org.octofs.rpc.protocol.message.GrantReply;
import org.octofs.rpc.protocol.message.ReserveRequest;

/** Builds COMMIT requests, and the few others that go with them. The checksum of a block is derived from its location. */
final class CommitBuilder {
    /** A run of lent blocks. */
    record Grant(long location, int count) {}

    private record Extent(long fileBlock, long location, long expected, long count, int flags) {}

    private final DataNode node;
    private final long clientId;
    private final long ino;
    private final List<Extent> extents = new ArrayList<>();
    private long sizeBytes;
    private long expectedSizeBytes;
    private long baseVersion;
    private int flags;
    private int wantBlocks;
    private int mtimeNsec = 5;

    CommitBuilder(DataNode node, long clientId, long ino) {
        this.node = node;
        this.clientId = clientId;
        this.ino = ino;
    }

    CommitBuilder map(long fileBlock, long location, int count) {
        extents.add(new Extent(fileBlock, location, 0, count, 0));
        return this;
    }

    CommitBuilder extent(long fileBlock, long location, long expected, long count, int extentFlags) {
        extents.add(new Extent(fileBlock, location, expected, count, extentFlags));
        return this;
    }

    CommitBuilder hole(long fileBlock, long count) {
        return extent(fileBlock, 0, 0, count, 0);
    }

    CommitBuilder zeros(long fileBlock, long count) {
        return extent(fileBlock, 0, 0, count, CommitExtentLayout.FLAG_UNWRITTEN);
    }

    CommitBuilder size(long bytes, int commitFlags) {
        sizeBytes = bytes;
        flags = commitFlags;
        return this;
    }

    CommitBuilder expectedSize(long bytes) {
        expectedSizeBytes = bytes;
        return this;
    }

    CommitBuilder base(long version) {
        baseVersion = version;
        return this;
    }

    CommitBuilder want(int blocks) {
        wantBlocks = blocks;
        return this;
    }

    CommitBuilder mtimeNsec(int nanos) {
        mtimeNsec = nanos;
        return this;
    }

    /** Runs it; the errno is in the result. */
    TestRequest run() {
        return node.run(build());
    }

    TestRequest build() {
        int checksums = 0;
        for (Extent extent : extents) {
            checksums += hasChecksums(extent) ? (int) extent.count : 0;
        }
        int bytes =
                CommitRequest.FIXED_BYTES + extents.size() * CommitExtentLayout.SIZE_BYTES + checksums * Integer.BYTES;
        TestRequest request = node.request(OpCode.COMMIT, clientId, bytes);
        MessageBuffer body = request.body();
        CommitRequest message = new CommitRequest()
                .wrap(body)
                .ino(ino)
                .baseVersion(baseVersion)
                .sizeBytes(sizeBytes)
                .expectedSizeBytes(expectedSizeBytes)
                .mtimeSec(1234)
                .mtimeNsec(mtimeNsec)
                .flags(flags)
                .wantBlocks(wantBlocks)
                .extentsCount(extents.size())
                .checksumsCount(checksums);
        int checksumAt = message.checksumsOffset();
        for (int i = 0; i < extents.size(); i++) {
            Extent extent = extents.get(i);
            int at = message.extents(i);
            body.putU64(at + CommitExtentLayout.FILE_BLOCK_OFFSET, extent.fileBlock);
            body.putU64(at + CommitExtentLayout.LOCATION_OFFSET, extent.location);
            body.putU64(at + CommitExtentLayout.EXPECTED_LOCATION_OFFSET, extent.expected);
            body.putU32(at + CommitExtentLayout.BLOCK_COUNT_OFFSET, extent.count);
            body.putU32(at + CommitExtentLayout.FLAGS_OFFSET, extent.flags);
            for (int block = 0; hasChecksums(extent) && block < extent.count; block++) {
                body.putU32(checksumAt, checksum(extent.location + block));
                checksumAt += Integer.BYTES;
            }
        }
        return request;
    }

    private static boolean hasChecksums(Extent extent) {
        return extent.location != 0 && (extent.flags & CommitExtentLayout.FLAG_UNWRITTEN) == 0;
    }

    static long checksum(long location) {
        return (location * 0x9E37_79B9L) & 0xFFFF_FFFFL;
    }

    /** Runs a RESERVE. */
    static TestRequest reserve(DataNode node, long clientId, long ino, long firstBlock, int count) {
        TestRequest request = node.request(OpCode.RESERVE, clientId, ReserveRequest.FIXED_BYTES);
        new ReserveRequest()
                .wrap(request.body())
                .ino(ino)
                .firstBlock(firstBlock)
                .blockCount(count)
                .reserved(0);
        return node.run(request);
    }

    /** The grants of a RESERVE's answer. */
    static List<Grant> grants(TestRequest reserve) {
        MessageBuffer body = reserve.answer();
        GrantReply reply = new GrantReply().wrap(body);
        List<Grant> grants = new ArrayList<>();
        for (int i = 0; i < reply.grantsCount(); i++) {
            grants.add(grant(body, reply.grants(i)));
        }
        return grants;
    }

    /** The grants of a COMMIT's answer. */
    static List<Grant> commitGrants(TestRequest commit) {
        MessageBuffer body = commit.answer();
        CommitReply reply = new CommitReply().wrap(body);
        List<Grant> grants = new ArrayList<>();
        for (int i = 0; i < reply.grantsCount(); i++) {
            grants.add(grant(body, reply.grants(i)));
        }
        return grants;
    }

    private static Grant grant(MessageBuffer body, int at) {
        return new Grant(body.getU64(at), body.getI32(at + Long.BYTES));
    }
}
