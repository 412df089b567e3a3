package org.octofs.rpc.fabric.verbs.provider;

import com.ibm.disni.verbs.IbvPd;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** A protection domain. */
final class NativePd extends IbvPd {
    final MemorySegment pointer;
    final NativeContext device;

    NativePd(NativeContext context, MemorySegment pointer) throws IOException {
        super(context);
        this.device = context;
        this.pointer = pointer;
    }
}
