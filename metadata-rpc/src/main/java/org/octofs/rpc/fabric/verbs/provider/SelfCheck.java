package org.octofs.rpc.fabric.verbs.provider;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.SVCPollCq;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.Cq;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.Mr;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.Mw;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.Pd;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.Qp;

/**
 * Tries on a device whether the native structures are laid out as {@link VerbsLayout} says, before anything relies on it:
 * what goes in through documented functions has to be found at its offset, and a receive and a send posted to a queue pair
 * in the error state have to come back flushed, with their ids. Takes a millisecond, sends nothing.
 */
public final class SelfCheck {
    private static final int BYTES = 4096;
    private static final long RECEIVE_ID = 0x0C70_F500_0000_0001L;
    private static final long SEND_ID = 0x0C70_F500_0000_0002L;
    private static final int CONFIRM_MILLIS = 2000;
    /** IBV_WC_WR_FLUSH_ERR. */
    private static final int STATUS_FLUSHED = 5;

    private final ForeignVerbs verbs;
    private final NativeContext context;

    private SelfCheck(ForeignVerbs verbs, NativeContext context) {
        this.verbs = verbs;
        this.context = context;
    }

    static VerbsUnavailableException mismatch(String field) {
        return new VerbsUnavailableException(
                "this machine's libibverbs or librdmacm is laid out differently than OctoFS" + " knows it (at " + field
                        + "); use those of rdma-core 15 or later, or another transport");
    }

    private static void require(boolean holds, String field) throws VerbsUnavailableException {
        if (!holds) {
            throw mismatch(field);
        }
    }

    /**
     * Checks one device.
     *
     * @throws VerbsUnavailableException when something is not where it should be
     */
    public static void run(ForeignVerbs verbs, NativeContext context) throws IOException {
        new SelfCheck(verbs, context).run();
    }

    private void run() throws IOException {
        checkDescriptor();
        NativePd pd = (NativePd) verbs.allocPd(context);
        try (Arena arena = Arena.ofConfined()) {
            require(isAt(pd.pointer, Pd.CONTEXT, context.pointer), "ibv_pd.context");
            checkMemory(pd, arena.allocate(BYTES, BYTES));
            checkWindow(pd);
            checkQueues(pd);
        } finally {
            verbs.deallocPd(pd);
        }
    }

    private static boolean isAt(MemorySegment structure, long offset, MemorySegment expected) {
        return structure.get(ADDRESS, offset).address() == expected.address();
    }

    private void checkDescriptor() throws IOException {
        Path link = Path.of("/proc/self/fd/" + context.getCmd_fd());
        boolean isDevice = Files.isSymbolicLink(link)
                && Files.readSymbolicLink(link).toString().contains("/infiniband/");
        require(isDevice, "ibv_context.cmd_fd");
        for (MemorySegment operation :
                List.of(context.postSend, context.postRecv, context.pollCq, context.reqNotifyCq, context.allocMw)) {
            require(operation.address() != 0, "ibv_context.ops");
        }
    }

    private void checkMemory(NativePd pd, MemorySegment memory) throws IOException {
        NativeMr region = verbs.register(pd, memory.address(), BYTES, IbvMr.IBV_ACCESS_LOCAL_WRITE);
        try {
            require(isAt(region.pointer, Mr.PD, pd.pointer), "ibv_mr.pd");
            require(isAt(region.pointer, Mr.ADDR, memory), "ibv_mr.addr");
            require(region.pointer.get(JAVA_LONG, Mr.LENGTH) == BYTES, "ibv_mr.length");
        } finally {
            verbs.deregister(region);
        }
    }

    private void checkWindow(NativePd pd) throws IOException {
        final int type2 = 2;
        if (!verbs.limits(context).hasWindows()) {
            return;
        }
        MemoryWindow window = verbs.allocWindow(pd);
        try {
            require(isAt(window.pointer, Mw.PD, pd.pointer), "ibv_mw.pd");
            require(window.pointer.get(JAVA_INT, Mw.TYPE) == type2, "ibv_mw.type");
        } finally {
            verbs.deallocWindow(window);
        }
    }

    private void checkQueues(NativePd pd) throws IOException {
        final int entries = 16;
        IbvCompChannel channel = verbs.createCompChannel(context);
        IbvCQ cq = null;
        try {
            cq = verbs.createCQ(context, channel, entries, 0);
            NativeCq known = (NativeCq) cq;
            require(isAt(known.pointer, Cq.CHANNEL, ((NativeCompChannel) channel).pointer), "ibv_cq.channel");
            require(cq.getCqe() >= entries && cq.getCqe() < entries * BYTES, "ibv_cq.cqe");
            checkQueuePair(pd, known);
        } finally {
            if (cq != null) {
                verbs.destroyCQ(cq);
            }
            verbs.destroyCompChannel(channel);
        }
    }

    private void checkQueuePair(NativePd pd, NativeCq cq) throws IOException {
        final int requests = 4;
        IbvQPInitAttr attributes = new IbvQPInitAttr();
        attributes.setQp_type(IbvQP.IBV_QPT_RC);
        attributes.setSend_cq(cq);
        attributes.setRecv_cq(cq);
        attributes.cap().setMax_send_wr(requests);
        attributes.cap().setMax_recv_wr(requests);
        attributes.cap().setMax_send_sge(1);
        attributes.cap().setMax_recv_sge(1);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pointer = Calls.call(
                            verbs.calls().createQpBare, pd.pointer, ForeignCm.encode(attributes, arena))
                    .pointer("ibv_create_qp")
                    .reinterpret(Qp.SIZE);
            try {
                require(isAt(pointer, Qp.PD, pd.pointer), "ibv_qp.pd");
                require(isAt(pointer, Qp.SEND_CQ, cq.pointer), "ibv_qp.send_cq");
                require(isAt(pointer, Qp.RECV_CQ, cq.pointer), "ibv_qp.recv_cq");
                require(pointer.get(JAVA_INT, Qp.QP_TYPE) == IbvQP.IBV_QPT_RC, "ibv_qp.qp_type");
                checkFlush(new NativeQp(context, pointer, attributes, 0), cq);
            } finally {
                Calls.call(verbs.calls().destroyQpBare, pointer);
            }
        }
    }

    private void checkFlush(NativeQp qp, NativeCq cq) throws IOException {
        verbs.modifyToInit(qp);
        verbs.modifyToError(qp);
        verbs.reqNotifyCQ(cq, false).execute();
        IbvRecvWR receive = new IbvRecvWR();
        receive.setWr_id(RECEIVE_ID);
        verbs.postRecv(qp, List.of(receive), null).execute();
        IbvSendWR send = new IbvSendWR();
        send.setWr_id(SEND_ID);
        send.setOpcode(IbvSendWR.IBV_WR_RDMA_WRITE);
        send.setSend_flags(IbvSendWR.IBV_SEND_SIGNALED);
        verbs.postSend(qp, List.of(send), null).execute();
        IbvWC[] completions = {new IbvWC()};
        SVCPollCq poll = verbs.pollCQ(cq, completions, 1);
        long missing = RECEIVE_ID ^ SEND_ID;
        long deadline = System.nanoTime() + CONFIRM_MILLIS * 1_000_000L;
        while (missing != 0) {
            if (poll.execute().getPolls() == 0) {
                require(System.nanoTime() < deadline, "ibv_wc");
                LockSupport.parkNanos(1_000);
                continue;
            }
            long id = completions[0].getWr_id();
            require(id == RECEIVE_ID || id == SEND_ID, "ibv_wc.wr_id");
            require(completions[0].getStatus() == STATUS_FLUSHED, "ibv_wc.status");
            require(completions[0].getQp_num() == qp.getQp_num(), "ibv_wc.qp_num");
            missing ^= id;
        }
    }
}
