package org.octofs.rpc.fabric.verbs.provider;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.CompChannel;

/** Where a completion queue says that it has something. */
final class NativeCompChannel extends IbvCompChannel {
    final MemorySegment pointer;

    NativeCompChannel(IbvContext context, MemorySegment pointer) throws IOException {
        super(pointer.get(JAVA_INT, CompChannel.FD), context);
        this.pointer = pointer;
    }
}
