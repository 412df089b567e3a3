package org.octofs.rpc.fabric.verbs.provider;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.octofs.rpc.fabric.verbs.provider.VerbsLayout.CmId;

/** One end of a connection, as the connection manager sees it. */
final class NativeCmId extends RdmaCmId {
    final MemorySegment pointer;

    NativeCmId(RdmaEventChannel channel, MemorySegment pointer) throws IOException {
        super(channel, null);
        this.pointer = pointer.reinterpret(CmId.SIZE);
    }

    /** The device, which is known once the address is resolved or bound; null before. */
    @Override
    public IbvContext getVerbs() throws IOException {
        if (super.getVerbs() == null) {
            MemorySegment device = pointer.get(ADDRESS, CmId.VERBS);
            if (device.address() != 0) {
                setVerbs(NativeContext.of(device));
                setPort_num(pointer.get(JAVA_BYTE, CmId.PORT_NUM));
            }
        }
        return super.getVerbs();
    }

    void queuePair(IbvQP qp) {
        setQp(qp);
    }
}
