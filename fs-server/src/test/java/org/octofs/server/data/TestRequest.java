package org.octofs.server.data;

import java.lang.foreign.MemorySegment;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.rpc.rpc.RpcSession;

/** A request without a wire: the test fills the body and reads the answer. */
final class TestRequest implements RpcRequest {
    static final int NOT_SENT = Integer.MIN_VALUE;

    private final int opCode;
    private final long clientId;
    private final long requestId;
    private final MessageBuffer body;
    private MessageBuffer reply = new MessageBuffer();
    private int errno = NOT_SENT;
    private int replyBytes;
    long deadlineNanos = Long.MAX_VALUE;

    TestRequest(int opCode, long clientId, long requestId, int bodyBytes) {
        this.opCode = opCode;
        this.clientId = clientId;
        this.requestId = requestId;
        this.body = new MessageBuffer(MemorySegment.ofArray(new byte[bodyBytes]));
    }

    boolean isAnswered() {
        return errno != NOT_SENT;
    }

    int errno() {
        return errno;
    }

    /** The answer's body, as long as it was sent. */
    MessageBuffer answer() {
        return new MessageBuffer().wrap(reply.memory(), 0, replyBytes);
    }

    @Override
    public int opCode() {
        return opCode;
    }

    @Override
    public long clientId() {
        return clientId;
    }

    @Override
    public long requestId() {
        return requestId;
    }

    @Override
    public int slot() {
        return 1;
    }

    @Override
    public int mapEpoch() {
        return 1;
    }

    @Override
    public boolean isResend() {
        return false;
    }

    @Override
    public long deadlineNanos() {
        return deadlineNanos;
    }

    @Override
    public RpcSession session() {
        return null;
    }

    @Override
    public MessageBuffer body() {
        return body;
    }

    @Override
    public MessageBuffer reply(int maxBodyBytes) {
        if (maxBodyBytes > reply.lengthBytes()) {
            reply = new MessageBuffer(MemorySegment.ofArray(new byte[maxBodyBytes]));
        }
        return reply;
    }

    @Override
    public void send(int status, int bodyBytes) {
        if (errno != NOT_SENT) {
            throw new IllegalStateException("answered twice");
        }
        errno = status;
        replyBytes = bodyBytes;
    }
}
