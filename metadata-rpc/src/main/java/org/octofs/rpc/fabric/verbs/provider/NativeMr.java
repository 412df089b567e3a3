package org.octofs.rpc.fabric.verbs.provider;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvMr;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.Mr;

/** Registered memory. */
final class NativeMr extends IbvMr {
    final MemorySegment pointer;

    NativeMr(NativeContext context, long address, int length, int access, MemorySegment pointer) throws IOException {
        super(
                context,
                address,
                length,
                access,
                pointer.get(JAVA_INT, Mr.LKEY),
                pointer.get(JAVA_INT, Mr.RKEY),
                pointer.get(JAVA_INT, Mr.HANDLE));
        this.pointer = pointer;
    }
}
