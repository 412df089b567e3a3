package org.octofs.rpc.fabric.verbs.provider;

import com.ibm.disni.verbs.SVCDeregMr;
import java.io.IOException;

/** Takes back the registration of memory; once. Threading: one at a time. */
final class DeregisterCall extends SVCDeregMr {
    private final ForeignVerbs verbs;
    private final NativeMr region;

    DeregisterCall(ForeignVerbs verbs, NativeMr region) {
        this.verbs = verbs;
        this.region = region;
    }

    @Override
    public DeregisterCall execute() throws IOException {
        verbs.deregister(region);
        return this;
    }

    @Override
    public boolean isValid() {
        return region.isOpen();
    }

    @Override
    public DeregisterCall free() {
        return this;
    }
}
