package org.octofs.rpc.fabric.verbs.provider;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.SVCPostRecv;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.RecvWr;

/**
 * A list of receives without memory, posted again and again: all that arrives is an immediate. Threading: one at a time.
 */
final class ReceiveCall extends SVCPostRecv {
    private final NativeQp qp;
    private final MemorySegment requests;
    private final MemorySegment bad;

    ReceiveCall(NativeQp qp, List<IbvRecvWR> list) throws IOException {
        this.qp = qp;
        Arena arena = Arena.ofAuto();
        requests = arena.allocate(RecvWr.SIZE * list.size(), Long.BYTES);
        bad = arena.allocate(ADDRESS);
        for (int i = 0; i < list.size(); i++) {
            if (list.get(i).getNum_sge() != 0) {
                throw new IOException("receives with memory are not offered");
            }
            long at = i * RecvWr.SIZE;
            requests.set(JAVA_LONG, at + RecvWr.WR_ID, list.get(i).getWr_id());
            boolean isLast = i + 1 == list.size();
            requests.set(JAVA_LONG, at + RecvWr.NEXT, isLast ? 0 : requests.address() + at + RecvWr.SIZE);
        }
    }

    @Override
    public RecvWRMod getWrMod(int index) {
        return () -> requests.get(JAVA_LONG, index * RecvWr.SIZE + RecvWr.WR_ID);
    }

    @Override
    public ReceiveCall execute() throws IOException {
        int result;
        try {
            result = (int) Calls.POST.invokeExact(qp.device.postRecv, qp.pointer, requests, bad);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new LinkageError("ibv_post_recv", e);
        }
        if (result != 0) {
            throw new VerbsException("ibv_post_recv", Math.abs(result));
        }
        return this;
    }

    @Override
    public boolean isValid() {
        return true;
    }

    @Override
    public ReceiveCall free() {
        return this;
    }
}
