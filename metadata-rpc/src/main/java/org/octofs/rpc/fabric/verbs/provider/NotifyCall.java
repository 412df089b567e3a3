package org.octofs.rpc.fabric.verbs.provider;

import com.ibm.disni.verbs.SVCReqNotify;
import java.io.IOException;

/** Asks for an event at the next completion. Threading: any. */
final class NotifyCall extends SVCReqNotify {
    private final NativeCq cq;
    private final int solicitedOnly;

    NotifyCall(NativeCq cq, boolean solicitedOnly) {
        this.cq = cq;
        this.solicitedOnly = solicitedOnly ? 1 : 0;
    }

    @Override
    public NotifyCall execute() throws IOException {
        int result;
        try {
            result = (int) Calls.NOTIFY.invokeExact(cq.device.reqNotifyCq, cq.pointer, solicitedOnly);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new LinkageError("ibv_req_notify_cq", e);
        }
        if (result != 0) {
            throw new VerbsException("ibv_req_notify_cq", Math.abs(result));
        }
        return this;
    }

    @Override
    public boolean isValid() {
        return true;
    }

    @Override
    public NotifyCall free() {
        return this;
    }
}
