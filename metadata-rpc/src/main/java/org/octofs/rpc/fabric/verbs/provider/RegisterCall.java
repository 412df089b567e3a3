package org.octofs.rpc.fabric.verbs.provider;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.SVCRegMr;
import java.io.IOException;

/** Registers memory. Threading: one at a time. */
final class RegisterCall extends SVCRegMr {
    private final ForeignVerbs verbs;
    private final NativePd pd;
    private final long address;
    private final int length;
    private final int access;
    private NativeMr region;

    RegisterCall(ForeignVerbs verbs, NativePd pd, long address, int length, int access) {
        this.verbs = verbs;
        this.pd = pd;
        this.address = address;
        this.length = length;
        this.access = access;
    }

    @Override
    public RegisterCall execute() throws IOException {
        region = verbs.register(pd, address, length, access);
        return this;
    }

    @Override
    public IbvMr getMr() {
        return region;
    }

    @Override
    public boolean isValid() {
        return true;
    }

    @Override
    public RegisterCall free() {
        return this;
    }
}
