package org.octofs.rpc.fabric.verbs.provider;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.SVCPollCq;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.Wc;

/** Takes completions of a queue, again and again. Threading: one at a time. Allocates nothing after construction. */
final class PollCall extends SVCPollCq {
    private final NativeCq cq;
    private final IbvWC[] completions;
    private final int count;
    private final MemorySegment memory;
    private int polled;

    PollCall(NativeCq cq, IbvWC[] completions, int count) {
        this.cq = cq;
        this.completions = completions;
        this.count = count;
        memory = Arena.ofAuto().allocate(Wc.SIZE * count, Long.BYTES);
    }

    @Override
    public PollCall execute() throws IOException {
        try {
            polled = (int) Calls.POLL.invokeExact(cq.device.pollCq, cq.pointer, count, memory);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new LinkageError("ibv_poll_cq", e);
        }
        if (polled < 0) {
            int result = polled;
            polled = 0;
            throw new IOException("ibv_poll_cq answers " + result + ": the completion queue is damaged");
        }
        for (int i = 0; i < polled; i++) {
            long at = i * Wc.SIZE;
            IbvWC completion = completions[i];
            completion.setWr_id(memory.get(JAVA_LONG, at + Wc.WR_ID));
            completion.setStatus(memory.get(JAVA_INT, at + Wc.STATUS));
            completion.setOpcode(memory.get(JAVA_INT, at + Wc.OPCODE));
            completion.setVendor_err(memory.get(JAVA_INT, at + Wc.VENDOR_ERR));
            completion.setByte_len(memory.get(JAVA_INT, at + Wc.BYTE_LEN));
            completion.setImm_data(Integer.reverseBytes(memory.get(JAVA_INT, at + Wc.IMM_DATA)));
            completion.setQp_num(memory.get(JAVA_INT, at + Wc.QP_NUM));
            completion.setWc_flags(memory.get(JAVA_INT, at + Wc.WC_FLAGS));
        }
        return this;
    }

    @Override
    public int getPolls() {
        return polled;
    }

    @Override
    public boolean isValid() {
        return true;
    }

    @Override
    public PollCall free() {
        return this;
    }
}
