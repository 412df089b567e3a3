package org.octofs.rpc.fabric.verbs.provider;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaVerbs;
import com.ibm.disni.verbs.SVCDeregMr;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCRegMr;
import com.ibm.disni.verbs.SVCReqNotify;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.CompChannel;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.Cq;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.DeviceAttr;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.Mr;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.Mw;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.Pd;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.QpAttr;

/** Verbs on libibverbs. Threading: any. */
public final class ForeignVerbs extends RdmaVerbs {
    /** Instead of a time to wait: the caller knows that there is an event. */
    public static final int READY = -1;

    /** State of a queue pair in {@code ibv_modify_qp}, and the mask that goes with it. */
    private static final int QP_STATE_MASK = 1;

    private static final int QP_ACCESS_PKEY_PORT_MASK = 1 << 3 | 1 << 4 | 1 << 5;
    private static final int QP_MIN_RNR_TIMER_MASK = 1 << 15;
    private static final int MEMORY_WINDOW_TYPE_2 = 2;
    private static final int CAP_MEMORY_WINDOW_TYPE_2A = 1 << 23;
    private static final int CAP_MEMORY_WINDOW_TYPE_2B = 1 << 24;

    private final Calls calls;

    ForeignVerbs(Calls calls) {
        this.calls = calls;
    }

    Calls calls() {
        return calls;
    }

    /**
     * What a device can do.
     *
     * @param workRequests most work requests of a queue
     * @param completions most entries of a completion queue
     * @param readDepth READs of a peer that it works on at a time per queue pair
     * @param readInitiatorDepth READs of its own outstanding at a time per queue pair
     * @param hasWindows whether it has memory windows of type 2
     */
    public record DeviceLimits(
            int workRequests, int completions, int readDepth, int readInitiatorDepth, boolean hasWindows) {}

    /** Asks a device what it can do. */
    public DeviceLimits limits(NativeContext context) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(DeviceAttr.SIZE, Long.BYTES);
            Calls.call(calls.queryDevice, context.pointer, attributes).check("ibv_query_device");
            int windows = CAP_MEMORY_WINDOW_TYPE_2A | CAP_MEMORY_WINDOW_TYPE_2B;
            return new DeviceLimits(
                    attributes.get(JAVA_INT, DeviceAttr.MAX_QP_WR),
                    attributes.get(JAVA_INT, DeviceAttr.MAX_CQE),
                    attributes.get(JAVA_INT, DeviceAttr.MAX_QP_RD_ATOM),
                    attributes.get(JAVA_INT, DeviceAttr.MAX_QP_INIT_RD_ATOM),
                    (attributes.get(JAVA_INT, DeviceAttr.DEVICE_CAP_FLAGS) & windows) != 0);
        }
    }

    @Override
    public IbvPd allocPd(IbvContext context) throws IOException {
        NativeContext device = (NativeContext) context;
        MemorySegment pointer = Calls.call(calls.allocPd, device.pointer).pointer("ibv_alloc_pd");
        return new NativePd(device, pointer.reinterpret(Pd.SIZE));
    }

    @Override
    public int deallocPd(IbvPd pd) throws IOException {
        pd.close();
        Calls.call(calls.deallocPd, ((NativePd) pd).pointer).check("ibv_dealloc_pd");
        return 0;
    }

    @Override
    public IbvCompChannel createCompChannel(IbvContext context) throws IOException {
        MemorySegment pointer = Calls.call(calls.createCompChannel, ((NativeContext) context).pointer)
                .pointer("ibv_create_comp_channel");
        return new NativeCompChannel(context, pointer.reinterpret(CompChannel.SIZE));
    }

    @Override
    public int destroyCompChannel(IbvCompChannel channel) throws IOException {
        channel.close();
        Calls.call(calls.destroyCompChannel, ((NativeCompChannel) channel).pointer)
                .check("ibv_destroy_comp_channel");
        return 0;
    }

    @Override
    public IbvCQ createCQ(IbvContext context, IbvCompChannel channel, int entries, int vector) throws IOException {
        NativeContext device = (NativeContext) context;
        MemorySegment pointer = Calls.call(
                        calls.createCq,
                        device.pointer,
                        entries,
                        MemorySegment.NULL,
                        ((NativeCompChannel) channel).pointer,
                        vector)
                .pointer("ibv_create_cq");
        return new NativeCq(device, channel, pointer.reinterpret(Cq.SIZE));
    }

    @Override
    public int destroyCQ(IbvCQ cq) throws IOException {
        cq.close();
        Calls.call(calls.destroyCq, ((NativeCq) cq).pointer).check("ibv_destroy_cq");
        return 0;
    }

    /**
     * Takes an event of the channel; false when there is none within the time. It is acknowledged by the caller.
     *
     * @param timeoutMillis or {@link #READY}
     */
    @Override
    public boolean getCqEvent(IbvCompChannel channel, IbvCQ cq, int timeoutMillis) throws IOException {
        if (timeoutMillis != READY && !DescriptorSet.isReady(channel.getFd(), timeoutMillis)) {
            return false;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment results = arena.allocate(ADDRESS, 2);
            Calls.call(
                            calls.getCqEvent,
                            ((NativeCompChannel) channel).pointer,
                            results,
                            results.asSlice(ADDRESS.byteSize()))
                    .check("ibv_get_cq_event");
            return true;
        }
    }

    @Override
    public int ackCqEvents(IbvCQ cq, int count) {
        Calls.call(calls.ackCqEvents, ((NativeCq) cq).pointer, count);
        return 0;
    }

    @Override
    public SVCRegMr regMr(IbvPd pd, ByteBuffer buffer, int access) throws IOException {
        return regMr(pd, MemorySegment.ofBuffer(buffer).address(), buffer.remaining(), access);
    }

    @Override
    public SVCRegMr regMr(IbvPd pd, long address, int length, int access) throws IOException {
        return new RegisterCall(this, (NativePd) pd, address, length, access);
    }

    NativeMr register(NativePd pd, long address, int length, int access) throws IOException {
        MemorySegment pointer = Calls.call(
                        calls.regMr, pd.pointer, MemorySegment.ofAddress(address), (long) length, access)
                .pointer("ibv_reg_mr of " + length + " bytes");
        return new NativeMr(pd.device, address, length, access, pointer.reinterpret(Mr.SIZE));
    }

    @Override
    public SVCDeregMr deregMr(IbvMr region) throws IOException {
        return new DeregisterCall(this, (NativeMr) region);
    }

    void deregister(NativeMr region) throws IOException {
        region.close();
        Calls.call(calls.deregMr, region.pointer).check("ibv_dereg_mr");
    }

    @Override
    public SendCall postSend(IbvQP qp, List<IbvSendWR> requests, List<IbvSendWR> unusedBadRequests) {
        SendCall call = new SendCall((NativeQp) qp, requests.size());
        for (int i = 0; i < requests.size(); i++) {
            call.getWrMod(i).fill(requests.get(i));
        }
        return call;
    }

    @Override
    public ReceiveCall postRecv(IbvQP qp, List<IbvRecvWR> requests, List<IbvRecvWR> unusedBadRequests)
            throws IOException {
        return new ReceiveCall((NativeQp) qp, requests);
    }

    @Override
    public SVCPollCq pollCQ(IbvCQ cq, IbvWC[] completions, int count) {
        return new PollCall((NativeCq) cq, completions, count);
    }

    @Override
    public SVCReqNotify reqNotifyCQ(IbvCQ cq, boolean solicitedOnly) {
        return new NotifyCall((NativeCq) cq, solicitedOnly);
    }

    /** A memory window of type 2, bound to nothing yet. */
    public MemoryWindow allocWindow(IbvPd pd) throws IOException {
        NativePd domain = (NativePd) pd;
        MemorySegment pointer = Calls.allocWindow(domain.device.allocMw, domain.pointer, MEMORY_WINDOW_TYPE_2)
                .pointer("ibv_alloc_mw");
        return new MemoryWindow(domain.device, pointer.reinterpret(Mw.SIZE));
    }

    /** Frees a window, bound or not: its key works no more when this returns. */
    public void deallocWindow(MemoryWindow window) throws IOException {
        Calls.deallocWindow(window.device.deallocMw, window.pointer).check("ibv_dealloc_mw");
    }

    /** Moves a fresh queue pair into the first state that an error is possible in; for the check at start. */
    void modifyToInit(IbvQP qp) throws IOException {
        modify(
                (NativeQp) qp,
                attributes -> {
                    attributes.set(JAVA_INT, QpAttr.QP_STATE, IbvQP.IBV_QPS_INIT);
                    attributes.set(JAVA_BYTE, QpAttr.PORT_NUM, (byte) 1);
                },
                QP_STATE_MASK | QP_ACCESS_PKEY_PORT_MASK);
    }

    /** Moves a queue pair into the error state: it sends and receives nothing any more. */
    public void modifyToError(IbvQP qp) throws IOException {
        modify(
                (NativeQp) qp,
                attributes -> attributes.set(JAVA_INT, QpAttr.QP_STATE, IbvQP.IBV_QPS_ERR),
                QP_STATE_MASK);
    }

    /**
     * Sets how long a peer is told to wait when this side has no receive posted; the connection manager's choice is 0.7 s.
     *
     * @param code of the InfiniBand specification: 12 is 0.64 ms
     */
    public void modifyNotReadyTimer(IbvQP qp, int code) throws IOException {
        modify(
                (NativeQp) qp,
                attributes -> attributes.set(JAVA_BYTE, QpAttr.MIN_RNR_TIMER, (byte) code),
                QP_MIN_RNR_TIMER_MASK);
    }

    private void modify(NativeQp qp, java.util.function.Consumer<MemorySegment> change, int mask) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(QpAttr.SIZE, Long.BYTES);
            change.accept(attributes);
            Calls.call(calls.modifyQp, qp.pointer, attributes, mask).check("ibv_modify_qp");
        }
    }

    @Override
    public int queryOdpSupport(IbvContext context) {
        return 0;
    }

    @Override
    public int expPrefetchMr(IbvMr region, long address, int length) throws IOException {
        throw new IOException("on-demand paging is not used");
    }
}
