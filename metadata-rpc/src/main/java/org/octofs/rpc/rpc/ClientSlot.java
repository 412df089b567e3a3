package org.octofs.rpc.rpc;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.fabric.WorkStatus;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.MessageHeaderLayout;

/**
 * One slot of a client, and the calls that use it one after the other.
 *
 * <pre>
 * FREE ─begin─► FILLING ─send─► SENT ─reply, failure─► DONE ─close─► FREE
 *                  └─close─► FREE └─close─► ABANDONED ─reply─► FREE
 * </pre>
 *
 * An abandoned call keeps the slot: the server may still be reading the request where the next one would be written.
 *
 * <p>Threading: the caller owns the slot in FILLING and DONE; in SENT and ABANDONED everything happens under the slot's
 * monitor, by the thread that polls, the one that reconnects and the one that closes. Ownership: the request's bytes stay
 * in {@code staging} until the reply has come, so that they can be sent again.
 */
final class ClientSlot extends Waiter implements RpcCall {
    private static final int FREE = 0;
    private static final int FILLING = 1;
    private static final int SENT = 2;
    private static final int DONE = 3;
    private static final int ABANDONED = 4;

    private final RpcClient client;
    private final int index;
    private final ReplySlot replySlot;
    private final MessageBuffer request = new MessageBuffer();
    private final MessageBuffer reply = new MessageBuffer();
    private final MessageHeader outgoing = new MessageHeader();
    private final MemorySegment control =
            Arena.ofAuto().allocate(MessageHeaderLayout.SIZE_BYTES + ControlLayout.SIZE_BYTES, Long.BYTES);
    private final MessageBuffer controlBody = new MessageBuffer();
    private final SmallRun requestSizes = new SmallRun();
    private final SmallRun replySizes = new SmallRun();
    private MemorySegment staging = Arena.ofAuto().allocate(RpcLimits.SLOT_BYTES_MIN, Long.BYTES);
    private WorkRequest work = new WorkRequest();

    private volatile int state = FREE;
    private volatile long requestId;
    private volatile long deadlineNanos;
    private int opCode;
    private int mapEpoch;
    private int messageBytes;
    private RpcCompletion completion;
    private boolean everPosted;

    /** Until the deadline, when the request was put on its way. */
    private int millisLeft;

    /** The connection that the current request, or a control message for it, was last posted on. */
    private ClientLink postedOn;

    /** The connection that the place of the request slot below belongs to. */
    private ClientLink placedOn;

    private long requestRkey;
    private long requestOffset;
    private int requestSlotBytes;

    private int errno;
    private int replyMapEpoch;
    private RpcException failure;

    ClientSlot(RpcClient client, int index, ReplySlot replySlot) {
        this.client = client;
        this.index = index;
        this.replySlot = replySlot;
    }

    // The caller's side.

    ClientSlot begin(int newOpCode, int maxRequestBytes, long newDeadlineNanos, long newRequestId, int newMapEpoch) {
        int needed = MessageHeaderLayout.SIZE_BYTES + maxRequestBytes;
        if (staging.byteSize() < needed) {
            staging = Arena.ofAuto().allocate(ControlLayout.slotBytesFor(needed), Long.BYTES);
        }
        request.wrap(staging, MessageHeaderLayout.BODY_OFFSET, maxRequestBytes);
        opCode = newOpCode;
        mapEpoch = newMapEpoch;
        requestId = newRequestId;
        deadlineNanos = newDeadlineNanos;
        completion = null;
        everPosted = false;
        postedOn = null;
        failure = null;
        state = FILLING;
        return this;
    }

    @Override
    public MessageBuffer request() {
        return request;
    }

    @Override
    public long requestId() {
        return requestId;
    }

    @Override
    public int slot() {
        return index;
    }

    @Override
    public RpcCall mapEpoch(int epoch) {
        mapEpoch = epoch;
        return this;
    }

    @Override
    public void send(int bodyBytes) {
        send(bodyBytes, null);
    }

    @Override
    public void sendAsync(int bodyBytes, RpcCompletion whenDone) {
        client.asyncStarted(deadlineNanos);
        send(bodyBytes, whenDone);
    }

    private void send(int bodyBytes, RpcCompletion whenDone) {
        if (state != FILLING) {
            throw new IllegalStateException("a call is sent once, after begin");
        }
        request.check(0, bodyBytes);
        synchronized (this) {
            completion = whenDone;
            messageBytes = MessageHeaderLayout.SIZE_BYTES + bodyBytes;
            request.clear();
            state = SENT;
            ClientLink link = client.link();
            if (link != null) {
                postOn(link);
            }
        }
        // Looked at after the state is set: close() sets its flag first and then visits all slots.
        if (client.isClosed()) {
            fail(new RpcClosedException("the client was closed"));
        }
    }

    @Override
    public int await() throws RpcException {
        return outcome(state == DONE || client.pump().await(this, deadlineNanos));
    }

    @Override
    public int awaitPatiently() throws RpcException {
        return outcome(state == DONE || client.pump().awaitPatiently(this, deadlineNanos));
    }

    private int outcome(boolean isInTime) throws RpcException {
        if (!isInTime) {
            throw client.timeout(opCode, requestId, everPosted);
        }
        if (failure != null) {
            throw failure;
        }
        return errno;
    }

    @Override
    public int errno() {
        checkDone();
        return errno;
    }

    @Override
    public int replyMapEpoch() {
        checkDone();
        return replyMapEpoch;
    }

    @Override
    public MessageBuffer reply() {
        checkDone();
        return reply;
    }

    private void checkDone() {
        if (state != DONE || failure != null) {
            throw new IllegalStateException("the call has no reply");
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            switch (state) {
                case FREE, ABANDONED -> {
                    return;
                }
                case SENT -> {
                    if (postedOn != null && !client.isClosed()) {
                        state = ABANDONED;
                        settleAsync();
                        return;
                    }
                    settleAsync();
                }
                default -> {
                    // FILLING and DONE: nobody else knows the slot.
                }
            }
            free();
        }
        client.released(index);
    }

    @Override
    boolean isSettled() {
        return state == DONE;
    }

    private void free() {
        request.clear();
        reply.clear();
        state = FREE;
    }

    private void settleAsync() {
        if (completion != null) {
            completion = null;
            client.asyncEnded();
        }
    }

    // Towards the server. All under the monitor.

    /** Sends the call again on a new connection, if it is outstanding and has not been sent there already. */
    synchronized void resend(ClientLink link) {
        if (state == SENT || state == ABANDONED) {
            postOn(link);
        }
    }

    private void postOn(ClientLink link) {
        if (postedOn == link) {
            return;
        }
        if (placedOn != link) {
            // A new connection starts with all slots at their first place and size, on both sides.
            placedOn = link;
            requestRkey = link.requestRkey();
            requestOffset = (long) index * link.slotBytes();
            requestSlotBytes = link.slotBytes();
            replySlot.reset();
            requestSizes.reset();
            replySizes.reset();
        }
        postedOn = link;
        long nanosLeft = deadlineNanos - client.nanoTime();
        millisLeft = Math.clamp(nanosLeft / 1_000_000, 0, Integer.MAX_VALUE);
        if (state == ABANDONED || nanosLeft <= 0) {
            postGivenUp(link);
            return;
        }
        int wanted = wantedRequestSlotBytes();
        boolean shrinkReply = replySizes.takeShrink();
        if (wanted != requestSlotBytes || shrinkReply) {
            if (shrinkReply) {
                replySlot.shrink(link.connection());
            }
            postPlace(link, wanted);
        } else {
            postMessage(link);
        }
    }

    /** Only an answer tells that the server no longer reads the request; but what it has never got needs none. */
    private void postGivenUp(ClientLink link) {
        if (everPosted) {
            postHeader(link, MessageHeaderLayout.FLAG_ABANDONED | MessageHeaderLayout.FLAG_RESEND);
            return;
        }
        postedOn = null;
        if (state == ABANDONED) {
            free();
            client.released(index);
        }
    }

    private int wantedRequestSlotBytes() {
        if (messageBytes > requestSlotBytes) {
            requestSizes.reset();
            return ControlLayout.slotBytesFor(messageBytes);
        }
        requestSizes.note(messageBytes, requestSlotBytes);
        return requestSizes.takeShrink() ? requestSlotBytes / 2 : requestSlotBytes;
    }

    private void postMessage(ClientLink link) {
        int flags = everPosted ? MessageHeaderLayout.FLAG_RESEND : 0;
        everPosted = true;
        fillHeader(opCode, flags, messageBytes);
        outgoing.write(staging, 0);
        post(link, staging, messageBytes);
    }

    private void postHeader(ClientLink link, int flags) {
        fillHeader(opCode, flags, MessageHeaderLayout.SIZE_BYTES);
        outgoing.write(control, 0);
        post(link, control, MessageHeaderLayout.SIZE_BYTES);
    }

    private void postPlace(ClientLink link, int wantedBytes) {
        fillHeader(ControlLayout.OP_PLACE, MessageHeaderLayout.FLAG_CONTROL, (int) control.byteSize());
        outgoing.write(control, 0);
        controlBody.wrap(control, MessageHeaderLayout.BODY_OFFSET, ControlLayout.SIZE_BYTES);
        controlBody.putU64(ControlLayout.RKEY_OFFSET, replySlot.rkey());
        controlBody.putU64(ControlLayout.SLOT_OFFSET_OFFSET, replySlot.offset());
        controlBody.putU32(ControlLayout.SLOT_BYTES_OFFSET, replySlot.lengthBytes());
        controlBody.putU32(ControlLayout.WANTED_BYTES_OFFSET, wantedBytes);
        post(link, control, (int) control.byteSize());
    }

    private void fillHeader(int code, int flags, int lengthBytes) {
        outgoing.lengthBytes = lengthBytes;
        outgoing.opCode = code;
        outgoing.flags = flags;
        outgoing.mapEpoch = mapEpoch;
        outgoing.status = 0;
        outgoing.clientId = client.clientId();
        outgoing.requestId = requestId;
        outgoing.timeLeftMillis = millisLeft;
    }

    private void post(ClientLink link, MemorySegment memory, int lengthBytes) {
        if (work.status() == WorkStatus.PENDING) {
            // The reply has overtaken the acknowledgement of our write; rare, and no reason to wait.
            work = new WorkRequest();
        }
        work.writeImmediateFrom(memory, 0, lengthBytes, requestRkey, requestOffset, link.immediate(index));
        link.connection().post(work);
    }

    // From the server. Called by the thread that polls.

    /**
     * A message has arrived in this slot.
     *
     * @return what is wrong with it, or null
     */
    String onMessage(ClientLink link, MessageHeader header) {
        RpcCompletion whenDone = null;
        boolean freed = false;
        synchronized (this) {
            if ((state != SENT && state != ABANDONED) || postedOn != link) {
                client.counters().lateReply();
                return null;
            }
            String problem = header.read(replySlot.memory(), replySlot.offset(), replySlot.lengthBytes());
            if (problem != null) {
                return problem;
            }
            if ((header.flags & MessageHeaderLayout.FLAG_REPLY) == 0 || header.clientId != client.clientId()) {
                return "message that is no reply to us";
            }
            if (header.requestId != requestId) {
                client.counters().lateReply();
                return null;
            }
            if ((header.flags & MessageHeaderLayout.FLAG_CONTROL) != 0) {
                if (state == ABANDONED) {
                    free();
                    freed = true;
                } else {
                    problem = onControl(link, header);
                    if (problem != null) {
                        return problem;
                    }
                    if (state == DONE) {
                        whenDone = completion;
                        settleAsync();
                    }
                }
            } else if (state == ABANDONED) {
                free();
                freed = true;
            } else {
                errno = header.status;
                replyMapEpoch = header.mapEpoch;
                reply.wrap(
                        replySlot.memory(),
                        replySlot.offset() + MessageHeaderLayout.BODY_OFFSET,
                        header.lengthBytes - MessageHeaderLayout.SIZE_BYTES);
                replySizes.note(header.lengthBytes, replySlot.lengthBytes());
                whenDone = completion;
                settleAsync();
                state = DONE;
            }
        }
        if (freed) {
            client.released(index);
        } else if (state == DONE) {
            settled(whenDone);
        }
        return null;
    }

    private String onControl(ClientLink link, MessageHeader header) {
        if (header.lengthBytes != MessageHeaderLayout.SIZE_BYTES + ControlLayout.SIZE_BYTES) {
            return "control message of a wrong length";
        }
        controlBody.wrap(
                replySlot.memory(), replySlot.offset() + MessageHeaderLayout.BODY_OFFSET, ControlLayout.SIZE_BYTES);
        return switch (header.opCode) {
            case ControlLayout.OP_PLACE -> onPlace(link);
            case ControlLayout.OP_REPLY_TOO_LARGE -> onReplyTooLarge(link);
            default -> "unknown control message";
        };
    }

    private String onPlace(ClientLink link) {
        long slotBytes = controlBody.getU32(ControlLayout.SLOT_BYTES_OFFSET);
        if (!ControlLayout.isSlotBytes(slotBytes) || slotBytes < messageBytes) {
            return "request slot of a wrong size";
        }
        requestRkey = controlBody.getU64(ControlLayout.RKEY_OFFSET);
        requestOffset = controlBody.getU64(ControlLayout.SLOT_OFFSET_OFFSET);
        requestSlotBytes = (int) slotBytes;
        client.counters().slotMoved();
        postMessage(link);
        return null;
    }

    private String onReplyTooLarge(ClientLink link) {
        long wanted = controlBody.getU32(ControlLayout.WANTED_BYTES_OFFSET);
        if (!ControlLayout.isSlotBytes(wanted) || wanted <= replySlot.lengthBytes()) {
            return "reply slot of a wrong size asked for";
        }
        try {
            replySlot.grow((int) wanted, link.connection());
        } catch (FabricException e) {
            failure = new RpcException("no memory for a reply of " + wanted + " bytes: " + e.getMessage(), e);
            state = DONE;
            return null;
        }
        client.counters().slotMoved();
        replySizes.reset();
        postPlace(link, requestSlotBytes);
        return null;
    }

    /** Ends an outstanding call without a reply. */
    void fail(RpcException why) {
        synchronized (this) {
            if (state == ABANDONED) {
                free();
                client.released(index);
                return;
            }
            if (state != SENT) {
                return;
            }
            failure = why;
            if (completion != null) {
                client.failLater(this);
                return;
            }
            state = DONE;
        }
        wake();
    }

    /** Reports the failure of an asynchronous call. By the thread that polls, whether its deadline passed or it failed. */
    void expireAsync(long now) {
        RpcCompletion whenDone;
        RpcException why;
        synchronized (this) {
            if (state != SENT || completion == null || (failure == null && now - deadlineNanos < 0)) {
                return;
            }
            whenDone = completion;
            why = failure != null ? failure : client.timeout(opCode, requestId, everPosted);
            // The completion's owner closes the call; with the state still SENT that abandons it properly.
            settleAsync();
        }
        whenDone.completed(this, why);
    }

    private void settled(RpcCompletion whenDone) {
        if (whenDone != null) {
            whenDone.completed(this, failure);
        } else {
            wake();
        }
    }

    void releaseMemory() {
        replySlot.reset();
    }
}
