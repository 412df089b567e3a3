package org.octofs.rpc.fabric.verbs.provider;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.Cq;

/** A completion queue. */
final class NativeCq extends IbvCQ {
    final MemorySegment pointer;
    final NativeContext device;

    NativeCq(NativeContext context, IbvCompChannel channel, MemorySegment pointer) throws IOException {
        super(context, channel, pointer.get(JAVA_INT, Cq.HANDLE));
        this.device = context;
        this.pointer = pointer;
        this.cqe = pointer.get(JAVA_INT, Cq.CQE);
    }
}
