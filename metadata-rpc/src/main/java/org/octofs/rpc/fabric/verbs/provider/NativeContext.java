package org.octofs.rpc.fabric.verbs.provider;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvContext;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.Context;

/** An open device. librdmacm owns it and keeps it open for the life of the process. Threading: any. */
public final class NativeContext extends IbvContext {
    final MemorySegment pointer;
    final MemorySegment postSend;
    final MemorySegment postRecv;
    final MemorySegment pollCq;
    final MemorySegment reqNotifyCq;
    final MemorySegment allocMw;
    final MemorySegment deallocMw;

    private NativeContext(MemorySegment pointer) throws IOException {
        super(pointer.get(JAVA_INT, Context.CMD_FD), pointer.get(JAVA_INT, Context.NUM_COMP_VECTORS));
        this.pointer = pointer;
        postSend = pointer.get(ADDRESS, Context.POST_SEND);
        postRecv = pointer.get(ADDRESS, Context.POST_RECV);
        pollCq = pointer.get(ADDRESS, Context.POLL_CQ);
        reqNotifyCq = pointer.get(ADDRESS, Context.REQ_NOTIFY_CQ);
        allocMw = pointer.get(ADDRESS, Context.ALLOC_MW);
        deallocMw = pointer.get(ADDRESS, Context.DEALLOC_MW);
    }

    static NativeContext of(MemorySegment pointer) throws IOException {
        return new NativeContext(pointer.reinterpret(Context.SIZE));
    }

    /** True for the same device: each id of a connection has an object of its own. */
    public boolean isSameAs(NativeContext other) {
        return pointer.address() == other.pointer.address();
    }
}
