package org.octofs.server.txn;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.rpc.rpc.RpcSession;

/** A request and, some time, its answer. */
final class TestRequest implements RpcRequest {
    private static final int BODY_BYTES_MAX = 8192;
    private static long lastId;

    final int opCode;
    final byte[] requestBytes;
    final long deadlineNanos;
    private final long id;
    private final MessageBuffer body;
    private final MessageBuffer reply = new MessageBuffer();
    private final MemorySegment replyMemory = Arena.ofAuto().allocate(BODY_BYTES_MAX, 8);
    private Runnable whenAnswered = () -> {};
    private BooleanSupplier mute = () -> false;
    private RpcSession session;
    private boolean answered;
    private boolean lost;
    private int errno;
    private int replyBytes;

    TestRequest(int opCode, byte[] requestBytes, long deadlineNanos) {
        this(opCode, requestBytes, deadlineNanos, ++lastId);
    }

    /** A request that was sent before. */
    TestRequest(int opCode, byte[] requestBytes, long deadlineNanos, long id) {
        this.id = id;
        this.opCode = opCode;
        this.requestBytes = requestBytes;
        this.deadlineNanos = deadlineNanos;
        MemorySegment memory = Arena.ofAuto().allocate(Math.max(8, requestBytes.length), 8);
        MemorySegment.copy(MemorySegment.ofArray(requestBytes), 0, memory, 0, requestBytes.length);
        body = new MessageBuffer().wrap(memory, 0, requestBytes.length);
    }

    /** While this holds, answers reach nobody. */
    void muteWhen(BooleanSupplier condition) {
        mute = condition;
    }

    void whenAnswered(Runnable action) {
        whenAnswered = action;
    }

    /** Makes it a request of a client with a session, whose outcome is recorded. */
    TestRequest of(RpcSession value) {
        session = value;
        return this;
    }

    boolean isAnswered() {
        return answered;
    }

    /** The server went away with the request unanswered: nobody knows. */
    boolean isLost() {
        return lost;
    }

    void lose() {
        lost = !answered;
    }

    int errno() {
        if (!answered) {
            throw new AssertionError("request " + opCode + " has no answer");
        }
        return errno;
    }

    /** The answer's body. */
    MessageBuffer answer() {
        return new MessageBuffer().wrap(replyMemory, 0, replyBytes);
    }

    @Override
    public int opCode() {
        return opCode;
    }

    @Override
    public long clientId() {
        return 77;
    }

    @Override
    public long requestId() {
        return id;
    }

    @Override
    public int slot() {
        return 0;
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
        return session;
    }

    @Override
    public MessageBuffer body() {
        return body;
    }

    @Override
    public MessageBuffer reply(int maxBodyBytes) {
        return reply.wrap(replyMemory, 0, maxBodyBytes);
    }

    @Override
    public void send(int status, int bodyBytes) {
        if (mute.getAsBoolean()) {
            return;
        }
        if (answered) {
            throw new IllegalStateException("answered twice: " + opCode);
        }
        answered = true;
        errno = status;
        replyBytes = bodyBytes;
        whenAnswered.run();
    }
}
