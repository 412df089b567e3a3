package org.octofs.rpc.rpc;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.fabric.WorkStatus;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.MessageHeaderLayout;
import org.octofs.rpc.protocol.ProtocolException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One slot of a session: the request in it, and the reply to the last one, which is the reply cache.
 *
 * <pre>
 * EMPTY ─request─► IN_WORK ─send─► ANSWERED ─next request─► IN_WORK
 * </pre>
 *
 * Request ids only grow in a slot. The last one again: in work, it will be answered once, when done; answered, the reply is
 * sent again. An older one: the client has its reply already, it is dropped.
 *
 * <p>Threading: confined to the server's worker. Ownership: the handler has the request and its body in IN_WORK; the
 * memory under the body stays as it is until then, even when the slot is moved by a new connection.
 */
final class ServerSlot implements RpcRequest {
    private static final Logger LOG = LoggerFactory.getLogger(ServerSlot.class);

    private static final int EMPTY = 0;
    private static final int IN_WORK = 1;
    private static final int ANSWERED = 2;

    private final RpcServer server;
    private final ServerSession session;
    private final int index;
    private final MessageBuffer body = new MessageBuffer();
    private final MessageBuffer reply = new MessageBuffer();
    private final MessageHeader outgoing = new MessageHeader();
    private final MemorySegment control =
            Arena.ofAuto().allocate(MessageHeaderLayout.SIZE_BYTES + ControlLayout.SIZE_BYTES, Long.BYTES);
    private final MessageBuffer controlBody = new MessageBuffer();
    private MemorySegment staging = Arena.ofAuto().allocate(RpcLimits.SLOT_BYTES_MIN, Long.BYTES);
    private WorkRequest work = new WorkRequest();

    /** Where requests land if not in the session's region; null at first. */
    private MemoryRegion own;

    /** What {@code own} was when the slot was moved back while the handler was reading in it. */
    private MemoryRegion replaced;

    private long replyRkey;
    private long replyOffset;
    private int replySlotBytes;

    private int state = EMPTY;
    private int opCode;
    private long requestId;
    private int requestEpoch;
    private boolean resend;
    private long deadlineNanos;
    private int replyMessageBytes;

    ServerSlot(RpcServer server, ServerSession session, int index) {
        this.server = server;
        this.session = session;
        this.index = index;
    }

    /** On a new connection both ends start from the first place and size of all slots. */
    void reconnected(long rkey, long offset, int slotBytes) {
        replyRkey = rkey;
        replyOffset = offset;
        replySlotBytes = slotBytes;
        if (own != null) {
            if (state == IN_WORK) {
                if (replaced == null) {
                    replaced = own;
                } else {
                    session.regions().release(own);
                }
            } else {
                session.regions().release(own);
            }
            own = null;
        }
    }

    private MemorySegment requestMemory() {
        return own == null ? session.region().memory() : own.memory();
    }

    private long requestOffset() {
        return own == null ? (long) index * RpcLimits.SLOT_BYTES_MIN : 0;
    }

    private int requestSlotBytes() {
        return own == null ? RpcLimits.SLOT_BYTES_MIN : (int) own.lengthBytes();
    }

    /**
     * A message has arrived in this slot.
     *
     * @return what is wrong with it so that the connection has to end, or null
     */
    String onMessage() {
        MessageHeader header = server.incoming();
        String problem = header.read(requestMemory(), requestOffset(), requestSlotBytes());
        if (problem != null) {
            return problem;
        }
        if ((header.flags & MessageHeaderLayout.FLAG_REPLY) != 0 || header.clientId != session.clientId()) {
            return "message that is no request of this client";
        }
        if (header.requestId < requestId) {
            server.counters().lateReply();
            return null;
        }
        if (header.requestId == requestId && state != EMPTY) {
            return onKnown(header);
        }
        if (state == IN_WORK) {
            return "new request in a slot whose last one is still in work";
        }
        if ((header.flags & MessageHeaderLayout.FLAG_CONTROL) != 0) {
            return onControl(header);
        }
        onNew(header);
        return null;
    }

    private String onKnown(MessageHeader header) {
        server.counters().resend();
        if (state == IN_WORK) {
            return null;
        }
        if ((header.flags & MessageHeaderLayout.FLAG_CONTROL) != 0) {
            // The client has made room for the reply that was too large.
            String problem = takeReplyPlace(header);
            if (problem != null) {
                return problem;
            }
        }
        postReply();
        return null;
    }

    private void onNew(MessageHeader header) {
        boolean isFresh = state == EMPTY;
        state = IN_WORK;
        session.workBegun();
        requestId = header.requestId;
        opCode = header.opCode;
        requestEpoch = header.mapEpoch;
        resend = (header.flags & MessageHeaderLayout.FLAG_RESEND) != 0;
        deadlineNanos = server.pollNanos() + Integer.toUnsignedLong(header.timeLeftMillis) * 1_000_000L;
        body.wrap(
                requestMemory(),
                requestOffset() + MessageHeaderLayout.BODY_OFFSET,
                header.lengthBytes - MessageHeaderLayout.SIZE_BYTES);
        boolean isAbandoned = (header.flags & MessageHeaderLayout.FLAG_ABANDONED) != 0;
        try {
            if (isAbandoned) {
                send(Errno.ECANCELED.value, 0);
            } else if (opCode == 0) {
                send(Errno.EPROTO.value, 0);
            } else if (resend && isFresh && server.handler().recoverReply(this)) {
                return;
            } else if (requestEpoch != 0 && Integer.compareUnsigned(requestEpoch, server.mapEpoch()) < 0) {
                send(Errno.ESTALE_EPOCH.value, 0);
            } else {
                server.counters().call();
                server.handler().handle(this);
            }
        } catch (ProtocolException e) {
            LOG.warn(
                    "request {} (opcode {}) of client {} is malformed: {}",
                    requestId,
                    opCode,
                    Long.toHexString(session.clientId()),
                    e.getMessage());
            sendFailure(header.requestId, Errno.EPROTO);
        } catch (RuntimeException e) {
            LOG.error(
                    "request {} (opcode {}) of client {} failed",
                    requestId,
                    opCode,
                    Long.toHexString(session.clientId()),
                    e);
            sendFailure(header.requestId, Errno.EIO);
        }
    }

    private void sendFailure(long failedId, Errno errno) {
        if (state == IN_WORK && requestId == failedId) {
            send(errno.value, 0);
        }
    }

    private String onControl(MessageHeader header) {
        if (header.opCode != ControlLayout.OP_PLACE) {
            return "unknown control message";
        }
        String problem = takeReplyPlace(header);
        if (problem != null) {
            return problem;
        }
        long wanted = controlBody.getU32(ControlLayout.WANTED_BYTES_OFFSET);
        if (!ControlLayout.isSlotBytes(wanted)) {
            return "request slot of a wrong size asked for";
        }
        if (wanted != requestSlotBytes()) {
            try {
                move((int) wanted);
            } catch (FabricException e) {
                // As an ordinary reply: the call fails, and the slot is good for others.
                LOG.warn("no memory for a slot of {} bytes", wanted, e);
                requestId = header.requestId;
                opCode = header.opCode;
                state = ANSWERED;
                prepareReply(Errno.ENOMEM.value, 0);
                postReply();
                return null;
            }
        }
        controlBody.wrap(control, MessageHeaderLayout.BODY_OFFSET, ControlLayout.SIZE_BYTES);
        controlBody.putU64(
                ControlLayout.RKEY_OFFSET, own == null ? session.region().rkey() : own.rkey());
        controlBody.putU64(ControlLayout.SLOT_OFFSET_OFFSET, requestOffset());
        controlBody.putU32(ControlLayout.SLOT_BYTES_OFFSET, requestSlotBytes());
        controlBody.putU32(ControlLayout.WANTED_BYTES_OFFSET, 0);
        postControl(ControlLayout.OP_PLACE, header.requestId);
        return null;
    }

    private String takeReplyPlace(MessageHeader header) {
        if (header.lengthBytes != MessageHeaderLayout.SIZE_BYTES + ControlLayout.SIZE_BYTES) {
            return "control message of a wrong length";
        }
        controlBody.wrap(requestMemory(), requestOffset() + MessageHeaderLayout.BODY_OFFSET, ControlLayout.SIZE_BYTES);
        long slotBytes = controlBody.getU32(ControlLayout.SLOT_BYTES_OFFSET);
        if (!ControlLayout.isSlotBytes(slotBytes)) {
            return "reply slot of a wrong size";
        }
        replyRkey = controlBody.getU64(ControlLayout.RKEY_OFFSET);
        replyOffset = controlBody.getU64(ControlLayout.SLOT_OFFSET_OFFSET);
        replySlotBytes = (int) slotBytes;
        return null;
    }

    private void move(int slotBytes) throws FabricException {
        MemoryRegion old = own;
        if (slotBytes == RpcLimits.SLOT_BYTES_MIN) {
            own = null;
        } else {
            MemoryRegion fresh = session.regions().acquire(slotBytes);
            session.connection().grant(fresh);
            own = fresh;
        }
        server.counters().slotMoved();
        if (old != null) {
            session.connection().revoke(old);
            session.regions().release(old);
        }
    }

    @Override
    public MessageBuffer reply(int maxBodyBytes) {
        checkInWork();
        if (maxBodyBytes < 0 || maxBodyBytes > RpcLimits.BODY_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "reply of " + maxBodyBytes + " bytes; at most " + RpcLimits.BODY_BYTES_MAX + " are possible");
        }
        int needed = MessageHeaderLayout.SIZE_BYTES + maxBodyBytes;
        if (staging.byteSize() < needed) {
            staging = Arena.ofAuto().allocate(ControlLayout.slotBytesFor(needed), Long.BYTES);
        }
        return reply.wrap(staging, MessageHeaderLayout.BODY_OFFSET, maxBodyBytes);
    }

    @Override
    public void send(int errno, int bodyBytes) {
        checkInWork();
        if (bodyBytes != 0) {
            reply.check(0, bodyBytes);
        }
        prepareReply(errno, bodyBytes);
        reply.clear();
        body.clear();
        state = ANSWERED;
        if (replaced != null) {
            session.regions().release(replaced);
            replaced = null;
        }
        if (session.isConnected()) {
            postReply();
        }
        session.workDone();
    }

    private void checkInWork() {
        if (state != IN_WORK) {
            throw new IllegalStateException("the request has been answered already");
        }
    }

    private void prepareReply(int errno, int bodyBytes) {
        replyMessageBytes = MessageHeaderLayout.SIZE_BYTES + bodyBytes;
        fillHeader(opCode, MessageHeaderLayout.FLAG_REPLY, replyMessageBytes, requestId);
        outgoing.status = errno;
        outgoing.write(staging, 0);
    }

    private void postReply() {
        if (replyMessageBytes <= replySlotBytes) {
            post(staging, replyMessageBytes);
            return;
        }
        controlBody.wrap(control, MessageHeaderLayout.BODY_OFFSET, ControlLayout.SIZE_BYTES);
        controlBody.zero(0, ControlLayout.SIZE_BYTES);
        controlBody.putU32(ControlLayout.WANTED_BYTES_OFFSET, ControlLayout.slotBytesFor(replyMessageBytes));
        postControl(ControlLayout.OP_REPLY_TOO_LARGE, requestId);
    }

    private void postControl(int code, long id) {
        fillHeader(
                code, MessageHeaderLayout.FLAG_REPLY | MessageHeaderLayout.FLAG_CONTROL, (int) control.byteSize(), id);
        outgoing.write(control, 0);
        post(control, (int) control.byteSize());
    }

    private void fillHeader(int code, int flags, int lengthBytes, long id) {
        outgoing.lengthBytes = lengthBytes;
        outgoing.opCode = code;
        outgoing.flags = flags;
        outgoing.mapEpoch = server.mapEpoch();
        outgoing.status = 0;
        outgoing.clientId = session.clientId();
        outgoing.requestId = id;
        outgoing.timeLeftMillis = 0;
    }

    private void post(MemorySegment memory, int lengthBytes) {
        Connection connection = session.connection();
        if (work.status() == WorkStatus.PENDING) {
            // Not acknowledged yet, though the client has sent its next request; rare, and no reason to wait.
            work = new WorkRequest();
        }
        work.writeImmediateFrom(memory, 0, lengthBytes, replyRkey, replyOffset, session.index() << 16 | index);
        connection.post(work);
    }

    void releaseMemory() {
        body.clear();
        if (own != null) {
            own.close();
            own = null;
        }
        if (replaced != null) {
            replaced.close();
            replaced = null;
        }
    }

    @Override
    public int opCode() {
        return opCode;
    }

    @Override
    public long clientId() {
        return session.clientId();
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
    public int mapEpoch() {
        return requestEpoch;
    }

    @Override
    public boolean isResend() {
        return resend;
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
}
