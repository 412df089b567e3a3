package org.octofs.server.space;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.SegmentReply;
import org.octofs.rpc.protocol.message.SegmentRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ops.OperationException;
import org.octofs.server.ops.OperationHandler;
import org.octofs.server.ops.ServerState;
import org.octofs.server.session.ClientSession;

/**
 * SEGMENT_ACQUIRE, SEGMENT_RELEASE and SEGMENT_LIST, asked by other servers. An acquisition that finds nothing is answered
 * with no segments and no error. Releasing what the shard does not own changes nothing. All durable when answered.
 *
 * <p>Answers EPERM (the caller is no server), EINVAL (a shard that does not exist, or that is homed here).
 */
public final class SegmentHandler implements OperationHandler {
    /** Most segments given at once. */
    private static final int GIVEN_MAX = 64;

    private final SegmentExchange segments;
    private final SegmentRequest message = new SegmentRequest();
    private final SegmentReply answer = new SegmentReply();

    public SegmentHandler(SegmentExchange segments) {
        this.segments = segments;
    }

    @Override
    public void handle(RpcRequest request, ServerState state) {
        ClientSession session = state.session(request);
        if (session != null && !session.isServer()) {
            throw OperationException.of(Errno.EPERM);
        }
        message.wrap(request.body());
        int shard = message.shard();
        int home = segments.homeOf(shard);
        if (home < 0 || home == state.nodeId()) {
            throw OperationException.of(Errno.EINVAL);
        }
        switch (request.opCode()) {
            case OpCode.SEGMENT_ACQUIRE -> acquire(request, shard);
            case OpCode.SEGMENT_RELEASE -> release(request);
            case OpCode.SEGMENT_LIST -> list(request, home);
            default -> throw OperationException.of(Errno.ENOSYS);
        }
    }

    private void acquire(RpcRequest request, int shard) {
        LocalSegments local = segments.local();
        // A fair part when they become few: everybody still gets one.
        int fair = Math.max(1, local.freeCount() / (2 * segments.shardCount()));
        int most = Math.min(Math.min(message.count(), fair), GIVEN_MAX);
        MessageBuffer body = head(request, GIVEN_MAX);
        int given = 0;
        while (given < most) {
            int index = segments.give(shard);
            if (index < 0) {
                break;
            }
            element(body, given++, index, shard);
        }
        answer.freeSegments(local.freeCount());
        request.send(0, answer.segmentsCount(given).bodyBytes());
    }

    private void release(RpcRequest request) {
        MessageBuffer body = request.body();
        int count = message.segmentsCount();
        for (int i = 0; i < count; i++) {
            int at = message.segments(i);
            segments.takeBack(
                    body.getI32(at + SegmentElementLayout.INDEX_OFFSET),
                    body.getI32(at + SegmentElementLayout.SHARD_OFFSET));
        }
        request.send(0, 0);
    }

    private void list(RpcRequest request, int home) {
        LocalSegments local = segments.local();
        MessageBuffer body = head(request, local.segmentCount());
        int listed = 0;
        for (int index = 0; index < local.segmentCount(); index++) {
            int owner = local.ownerOf(index);
            if (owner >= 0 && segments.homeOf(owner) == home) {
                element(body, listed++, index, owner);
            }
        }
        answer.freeSegments(local.freeCount());
        request.send(0, answer.segmentsCount(listed).bodyBytes());
    }

    private MessageBuffer head(RpcRequest request, int elementsMax) {
        MessageBuffer body = request.reply(SegmentReply.FIXED_BYTES + elementsMax * SegmentElementLayout.SIZE_BYTES);
        answer.wrap(body)
                .dataOffset(segments.local().dataOffset())
                .segmentBytes(segments.local().segmentBytes())
                .segmentsCount(0);
        return body;
    }

    private static void element(MessageBuffer body, int i, int index, int shard) {
        int at = SegmentReply.FIXED_BYTES + i * SegmentElementLayout.SIZE_BYTES;
        body.putU32(at + SegmentElementLayout.INDEX_OFFSET, index);
        body.putU32(at + SegmentElementLayout.SHARD_OFFSET, shard);
    }
}
