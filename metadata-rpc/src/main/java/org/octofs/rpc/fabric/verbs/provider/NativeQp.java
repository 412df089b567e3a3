package org.octofs.rpc.fabric.verbs.provider;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.Qp;

/** A queue pair. */
public final class NativeQp extends IbvQP {
    final MemorySegment pointer;
    final NativeContext device;
    private final int inlineBytesMax;

    NativeQp(NativeContext device, MemorySegment pointer, IbvQPInitAttr attributes, int inlineBytesMax)
            throws IOException {
        super(pointer.get(JAVA_INT, Qp.QP_NUM));
        this.device = device;
        this.pointer = pointer;
        this.inlineBytesMax = inlineBytesMax;
        this.context = device;
        this.send_cq = attributes.getSend_cq();
        this.recv_cq = attributes.getRecv_cq();
        this.qp_type = attributes.getQp_type();
    }

    /** Most bytes of an inline request, as the device granted it. */
    public int inlineBytesMax() {
        return inlineBytesMax;
    }
}
