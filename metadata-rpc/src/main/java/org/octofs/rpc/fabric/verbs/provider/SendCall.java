package org.octofs.rpc.fabric.verbs.provider;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostSend;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.SendWr;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.Sge;

/**
 * A list of send requests, built once and posted again and again: its entries are changed in place in native memory. Each
 * has room for one local range.
 *
 * <p>Threading: one at a time. Allocates nothing after construction.
 */
public final class SendCall extends SVCPostSend {
    /** Opcode of binding a memory window, which DiSNI does not name. */
    public static final int OPCODE_BIND_WINDOW = 8;

    private final NativeQp qp;
    private final MemorySegment requests;
    private final MemorySegment bad;
    private final Entry[] entries;
    private final int count;
    private int chained;

    /** A list of {@code count} requests. */
    public SendCall(NativeQp qp, int count) {
        this.qp = qp;
        this.count = count;
        Arena arena = Arena.ofAuto();
        requests = arena.allocate(SendWr.SIZE * count, Long.BYTES);
        MemorySegment ranges = arena.allocate(Sge.SIZE * count, Long.BYTES);
        bad = arena.allocate(ADDRESS);
        entries = new Entry[count];
        for (int i = 0; i < count; i++) {
            entries[i] =
                    new Entry(requests.asSlice(i * SendWr.SIZE, SendWr.SIZE), ranges.asSlice(i * Sge.SIZE, Sge.SIZE));
            chain(i, i + 1 < count);
        }
        chained = count;
    }

    private void chain(int index, boolean toNext) {
        long next = toNext ? requests.address() + (index + 1) * SendWr.SIZE : 0;
        requests.set(JAVA_LONG, index * SendWr.SIZE + SendWr.NEXT, next);
    }

    @Override
    public Entry getWrMod(int index) {
        return entries[index];
    }

    @Override
    public SendCall execute() throws IOException {
        return execute(count);
    }

    /** Posts the first {@code length} requests, at least one. */
    public SendCall execute(int length) throws IOException {
        if (length != chained) {
            if (chained < count) {
                chain(chained - 1, true);
            }
            chain(length - 1, false);
            chained = length;
        }
        int result;
        try {
            result = (int) Calls.POST.invokeExact(qp.device.postSend, qp.pointer, requests, bad);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new LinkageError("ibv_post_send", e);
        }
        if (result != 0) {
            throw new VerbsException("ibv_post_send", Math.abs(result));
        }
        return this;
    }

    @Override
    public boolean isValid() {
        return true;
    }

    @Override
    public SendCall free() {
        return this;
    }

    /** One request of the list. */
    public static final class Entry implements SendWRMod, RdmaMod, SgeMod {
        private final MemorySegment request;
        private final MemorySegment range;

        Entry(MemorySegment request, MemorySegment range) {
            this.request = request;
            this.range = range;
            request.set(ADDRESS, SendWr.SG_LIST, range);
        }

        void fill(IbvSendWR source) {
            setWr_id(source.getWr_id());
            setOpcode(source.getOpcode());
            setSend_flags(source.getSend_flags());
            setImmediate(source.getImm_data());
            setRemote_addr(source.getRdma().getRemote_addr());
            setRkey(source.getRdma().getRkey());
            setNum_sge(Math.min(1, source.getNum_sge()));
            if (source.getNum_sge() > 0) {
                IbvSge sge = source.getSge(0);
                setAddr(sge.getAddr());
                setLength(sge.getLength());
                setLkey(sge.getLkey());
            }
        }

        /** Makes it the bind of a window to a part of registered memory. */
        public void bindWindow(MemoryWindow window, IbvMr memory, long address, long lengthBytes, int access) {
            setOpcode(OPCODE_BIND_WINDOW);
            setNum_sge(0);
            setImmediate(0); // what a request before left there is refused
            request.set(ADDRESS, SendWr.BIND_MW, window.pointer);
            request.set(JAVA_INT, SendWr.BIND_RKEY, window.rkey());
            request.set(ADDRESS, SendWr.BIND_MR, ((NativeMr) memory).pointer);
            request.set(JAVA_LONG, SendWr.BIND_ADDR, address);
            request.set(JAVA_LONG, SendWr.BIND_LENGTH, lengthBytes);
            request.set(JAVA_INT, SendWr.BIND_ACCESS, access);
        }

        @Override
        public void setWr_id(long id) {
            request.set(JAVA_LONG, SendWr.WR_ID, id);
        }

        @Override
        public long getWr_id() {
            return request.get(JAVA_LONG, SendWr.WR_ID);
        }

        @Override
        public void setSend_flags(int flags) {
            request.set(JAVA_INT, SendWr.SEND_FLAGS, flags);
        }

        @Override
        public int getSend_flags() {
            return request.get(JAVA_INT, SendWr.SEND_FLAGS);
        }

        /** Sets the verb. */
        public void setOpcode(int opcode) {
            request.set(JAVA_INT, SendWr.OPCODE, opcode);
        }

        @Override
        public int getOpcode() {
            return request.get(JAVA_INT, SendWr.OPCODE);
        }

        /** Sets the 32 bits that travel with it, in the processor's order; on the wire they are in network order. */
        public void setImmediate(int immediate) {
            request.set(JAVA_INT, SendWr.IMM_DATA, Integer.reverseBytes(immediate));
        }

        /** Sets the number of local ranges, 0 or 1. */
        public void setNum_sge(int ranges) {
            request.set(JAVA_INT, SendWr.NUM_SGE, ranges);
        }

        @Override
        public int getNum_sge() {
            return request.get(JAVA_INT, SendWr.NUM_SGE);
        }

        @Override
        public RdmaMod getRdmaMod() {
            return this;
        }

        @Override
        public SgeMod getSgeMod(int index) {
            return this;
        }

        @Override
        public void setRemote_addr(long address) {
            request.set(JAVA_LONG, SendWr.REMOTE_ADDR, address);
        }

        @Override
        public long getRemote_addr() {
            return request.get(JAVA_LONG, SendWr.REMOTE_ADDR);
        }

        @Override
        public void setRkey(int rkey) {
            request.set(JAVA_INT, SendWr.RKEY, rkey);
        }

        @Override
        public int getRkey() {
            return request.get(JAVA_INT, SendWr.RKEY);
        }

        @Override
        public void setReserved(int reserved) {
            // There is padding at this place; nothing reads it.
        }

        @Override
        public int getReserved() {
            return 0;
        }

        @Override
        public void setAddr(long address) {
            range.set(JAVA_LONG, Sge.ADDR, address);
        }

        @Override
        public long getAddr() {
            return range.get(JAVA_LONG, Sge.ADDR);
        }

        @Override
        public void setLength(int lengthBytes) {
            range.set(JAVA_INT, Sge.LENGTH, lengthBytes);
        }

        @Override
        public int getLength() {
            return range.get(JAVA_INT, Sge.LENGTH);
        }

        @Override
        public void setLkey(int lkey) {
            range.set(JAVA_INT, Sge.LKEY, lkey);
        }

        @Override
        public int getLkey() {
            return range.get(JAVA_INT, Sge.LKEY);
        }
    }
}
