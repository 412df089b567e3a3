package org.octofs.rpc.fabric.verbs.provider;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.CmEvent;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.CmId;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.ConnParam;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.EventChannel;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.Qp;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.QpInitAttr;

/** The connection manager on librdmacm. Threading: any; events of one channel are taken by one thread. */
public final class ForeignCm extends RdmaCm {
    private final Calls calls;
    /** By address of the native structure; what events name. */
    private final ConcurrentMap<Long, NativeCmId> ids = new ConcurrentHashMap<>();

    ForeignCm(Calls calls) {
        this.calls = calls;
    }

    /** The devices that the connection manager knows; empty when there are none. */
    public List<NativeContext> devices() throws IOException {
        MemorySegment list;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(JAVA_INT);
            list = (MemorySegment) Calls.call(calls.getDevices, count).value();
            if (list.address() == 0) {
                return List.of();
            }
            int devices = count.get(JAVA_INT, 0);
            MemorySegment entries = list.reinterpret(ADDRESS.byteSize() * devices);
            List<NativeContext> found = new ArrayList<>();
            for (int i = 0; i < devices; i++) {
                found.add(NativeContext.of(entries.getAtIndex(ADDRESS, i)));
            }
            Calls.call(calls.freeDevices, list);
            return found;
        }
    }

    @Override
    public RdmaEventChannel createEventChannel() throws IOException {
        MemorySegment pointer = Calls.call(calls.createEventChannel).pointer("rdma_create_event_channel");
        return new NativeEventChannel(pointer.reinterpret(EventChannel.SIZE));
    }

    @Override
    public int destroyEventChannel(RdmaEventChannel channel) {
        channel.close();
        Calls.call(calls.destroyEventChannel, ((NativeEventChannel) channel).pointer);
        return 0;
    }

    @Override
    public RdmaCmId createId(RdmaEventChannel channel, short portSpace) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment result = arena.allocate(ADDRESS);
            MemorySegment channelPointer = ((NativeEventChannel) channel).pointer;
            Calls.call(calls.createId, channelPointer, result, MemorySegment.NULL, (int) portSpace)
                    .check("rdma_create_id");
            NativeCmId id = new NativeCmId(channel, result.get(ADDRESS, 0));
            if (id.pointer.get(ADDRESS, CmId.CHANNEL).address() != channelPointer.address()) {
                throw SelfCheck.mismatch("rdma_cm_id.channel");
            }
            ids.put(id.pointer.address(), id);
            return id;
        }
    }

    @Override
    public int destroyCmId(RdmaCmId id) throws IOException {
        NativeCmId known = (NativeCmId) id;
        known.close();
        // Before the call: afterwards the address may be that of another id at once.
        ids.remove(known.pointer.address());
        Calls.call(calls.destroyId, known.pointer).check("rdma_destroy_id");
        return 0;
    }

    @Override
    public IbvQP createQP(RdmaCmId id, IbvPd pd, IbvQPInitAttr attributes) throws IOException {
        NativeCmId known = (NativeCmId) id;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment encoded = encode(attributes, arena);
            Calls.call(calls.createQp, known.pointer, ((NativePd) pd).pointer, encoded)
                    .check("rdma_create_qp");
            MemorySegment pointer = known.pointer.get(ADDRESS, CmId.QP).reinterpret(Qp.SIZE);
            NativeQp qp = new NativeQp(
                    ((NativePd) pd).device, pointer, attributes, encoded.get(JAVA_INT, QpInitAttr.MAX_INLINE_DATA));
            known.queuePair(qp);
            return qp;
        }
    }

    static MemorySegment encode(IbvQPInitAttr attributes, Arena arena) {
        MemorySegment encoded = arena.allocate(QpInitAttr.SIZE, Long.BYTES);
        encoded.set(ADDRESS, QpInitAttr.SEND_CQ, ((NativeCq) attributes.getSend_cq()).pointer);
        encoded.set(ADDRESS, QpInitAttr.RECV_CQ, ((NativeCq) attributes.getRecv_cq()).pointer);
        encoded.set(JAVA_INT, QpInitAttr.MAX_SEND_WR, attributes.cap().getMax_send_wr());
        encoded.set(JAVA_INT, QpInitAttr.MAX_RECV_WR, attributes.cap().getMax_recv_wr());
        encoded.set(JAVA_INT, QpInitAttr.MAX_SEND_SGE, attributes.cap().getMax_send_sge());
        encoded.set(JAVA_INT, QpInitAttr.MAX_RECV_SGE, attributes.cap().getMax_recv_sge());
        encoded.set(JAVA_INT, QpInitAttr.MAX_INLINE_DATA, attributes.cap().getMax_inline_data());
        encoded.set(JAVA_INT, QpInitAttr.QP_TYPE, attributes.getQp_type());
        encoded.set(JAVA_INT, QpInitAttr.SQ_SIG_ALL, attributes.getSq_sig_all());
        return encoded;
    }

    @Override
    public int destroyQP(RdmaCmId id) throws IOException {
        NativeCmId known = (NativeCmId) id;
        if (known.getQp() != null) {
            known.getQp().close();
            Calls.call(calls.destroyQp, known.pointer);
            known.queuePair(null);
        }
        return 0;
    }

    @Override
    public void bindAddr(RdmaCmId id, SocketAddress address) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            Calls.call(calls.bindAddr, ((NativeCmId) id).pointer, SocketAddresses.encode(address, arena))
                    .check("rdma_bind_addr to " + address);
        }
    }

    @Override
    public void listen(RdmaCmId id, int backlog) throws IOException {
        Calls.call(calls.listen, ((NativeCmId) id).pointer, backlog).check("rdma_listen");
    }

    @Override
    public void resolveAddr(RdmaCmId id, SocketAddress source, SocketAddress destination, int timeoutMillis)
            throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment from = source == null ? MemorySegment.NULL : SocketAddresses.encode(source, arena);
            MemorySegment to = SocketAddresses.encode(destination, arena);
            Calls.call(calls.resolveAddr, ((NativeCmId) id).pointer, from, to, timeoutMillis)
                    .check("rdma_resolve_addr of " + destination);
        }
    }

    @Override
    public void resolveRoute(RdmaCmId id, int timeoutMillis) throws IOException {
        Calls.call(calls.resolveRoute, ((NativeCmId) id).pointer, timeoutMillis).check("rdma_resolve_route");
    }

    /** The next event; null when there is none within the time. It has to be acknowledged. */
    @Override
    public NativeCmEvent getCmEvent(RdmaEventChannel channel, int timeoutMillis) throws IOException {
        if (!DescriptorSet.isReady(channel.getFd(), timeoutMillis)) {
            return null;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment result = arena.allocate(ADDRESS);
            Calls.call(calls.getCmEvent, ((NativeEventChannel) channel).pointer, result)
                    .check("rdma_get_cm_event");
            MemorySegment event = result.get(ADDRESS, 0).reinterpret(CmEvent.SIZE);
            int type = event.get(JAVA_INT, CmEvent.EVENT);
            MemorySegment idPointer = event.get(ADDRESS, CmEvent.ID);
            NativeCmId id;
            if (type == NativeCmEvent.CONNECT_REQUEST) {
                id = new NativeCmId(channel, idPointer);
                ids.put(id.pointer.address(), id);
            } else {
                id = ids.get(idPointer.address());
            }
            return new NativeCmEvent(
                    event,
                    type,
                    event.get(JAVA_INT, CmEvent.STATUS),
                    ids.get(event.get(ADDRESS, CmEvent.LISTEN_ID).address()),
                    id,
                    privateData(event, type));
        }
    }

    private static byte[] privateData(MemorySegment event, int type) {
        boolean isOfConnection = type == NativeCmEvent.CONNECT_REQUEST
                || type == NativeCmEvent.ESTABLISHED
                || type == NativeCmEvent.REJECTED;
        MemorySegment data = event.get(ADDRESS, CmEvent.PRIVATE_DATA);
        if (!isOfConnection || data.address() == 0) {
            return new byte[0];
        }
        int length = Byte.toUnsignedInt(event.get(JAVA_BYTE, CmEvent.PRIVATE_DATA_LEN));
        return data.reinterpret(length).toArray(JAVA_BYTE);
    }

    @Override
    public int ackCmEvent(RdmaCmEvent event) {
        Calls.call(calls.ackCmEvent, ((NativeCmEvent) event).pointer);
        return 0;
    }

    @Override
    public void connect(RdmaCmId id, RdmaConnParam parameters) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            Calls.call(calls.connect, ((NativeCmId) id).pointer, encode(parameters, arena))
                    .check("rdma_connect");
        }
    }

    @Override
    public void accept(RdmaCmId id, RdmaConnParam parameters) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            Calls.call(calls.accept, ((NativeCmId) id).pointer, encode(parameters, arena))
                    .check("rdma_accept");
        }
    }

    private static MemorySegment encode(RdmaConnParam parameters, Arena arena) {
        MemorySegment encoded = arena.allocate(ConnParam.SIZE, Long.BYTES);
        byte[] data = ((ConnectParameters) parameters).privateData();
        encoded.set(ADDRESS, ConnParam.PRIVATE_DATA, arena.allocateFrom(JAVA_BYTE, data));
        encoded.set(JAVA_BYTE, ConnParam.PRIVATE_DATA_LEN, parameters.getPrivate_data_len());
        encoded.set(JAVA_BYTE, ConnParam.RESPONDER_RESOURCES, parameters.getResponder_resources());
        encoded.set(JAVA_BYTE, ConnParam.INITIATOR_DEPTH, parameters.getInitiator_depth());
        encoded.set(JAVA_BYTE, ConnParam.RETRY_COUNT, parameters.getRetry_count());
        encoded.set(JAVA_BYTE, ConnParam.RNR_RETRY_COUNT, parameters.getRnr_retry_count());
        return encoded;
    }

    /** Refuses a connection request. Its id is to be destroyed afterwards. */
    public void reject(RdmaCmId id) throws IOException {
        Calls.call(calls.reject, ((NativeCmId) id).pointer, MemorySegment.NULL, (byte) 0)
                .check("rdma_reject");
    }

    @Override
    public int disconnect(RdmaCmId id) throws IOException {
        Calls.call(calls.disconnect, ((NativeCmId) id).pointer).check("rdma_disconnect");
        return 0;
    }

    /** The port that the id is bound to, at the wildcard address. */
    @Override
    public SocketAddress getSrcAddr(RdmaCmId id) {
        short networkOrder =
                (Short) Calls.call(calls.getSrcPort, ((NativeCmId) id).pointer).value();
        return new InetSocketAddress(Short.toUnsignedInt(Short.reverseBytes(networkOrder)));
    }

    /** Not offered: nobody here asks. */
    @Override
    public SocketAddress getDstAddr(RdmaCmId id) throws IOException {
        throw new IOException("the destination of an id is not kept");
    }

    @Override
    public int destroyEp(RdmaCmId id) throws IOException {
        destroyQP(id);
        return destroyCmId(id);
    }
}
