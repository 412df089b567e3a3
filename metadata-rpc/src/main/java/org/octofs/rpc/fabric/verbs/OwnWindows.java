package org.octofs.rpc.fabric.verbs;

import com.ibm.disni.verbs.IbvMr;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.transport.ExportedRegion;
import org.octofs.rpc.fabric.verbs.provider.MemoryWindow;
import org.octofs.rpc.fabric.verbs.provider.SendCall;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this side grants the peer of one connection: a memory window per region, bound by a request on the connection's own
 * queue pair. A window that is freed before its bind has been posted is never bound; one that is freed while its bind runs is
 * freed when that is over, and the peer never hears of it.
 *
 * <p>Threading: under the lock of the connection's send queue. Ownership: owns the windows.
 */
final class OwnWindows {
    private static final Logger LOG = LoggerFactory.getLogger(OwnWindows.class);

    /** One grant on its way or in force. */
    static final class Grant {
        final ExportedRegion region;
        final long rkey;
        final int accessBits;
        private volatile MemoryWindow window;
        private boolean isBinding;
        private volatile boolean isWithdrawn;

        Grant(ExportedRegion region, int accessBits) {
            this.region = region;
            this.rkey = region.rkey();
            this.accessBits = accessBits;
        }

        boolean isWithdrawn() {
            return isWithdrawn;
        }

        /** What the peer is told; null if it has been taken back meanwhile. */
        PeerWindows.Window told() {
            MemoryWindow current = window;
            return current == null || isWithdrawn
                    ? null
                    : new PeerWindows.Window(
                            rkey, accessBits, current.rkey(), region.memory().address(), region.lengthBytes());
        }
    }

    private final Map<ExportedRegion, Grant> grants = new HashMap<>();
    private final List<Grant> freedLater = new ArrayList<>();
    private VerbsDevice device;

    void device(VerbsDevice newDevice) {
        device = newDevice;
    }

    Grant grant(ExportedRegion region, int accessBits) {
        Grant grant = new Grant(region, accessBits);
        grants.put(region, grant);
        return grant;
    }

    /** Takes a grant back; answers it if the peer has or may have heard of it, else null. */
    Grant withdraw(ExportedRegion region) {
        Grant grant = grants.remove(region);
        if (grant == null) {
            return null;
        }
        grant.isWithdrawn = true;
        if (grant.isBinding) {
            freedLater.add(grant);
            return null;
        }
        boolean wasBound = grant.window != null;
        free(grant);
        return wasBound ? grant : null;
    }

    /** Fills in the request that binds a grant's window. */
    void bind(Grant grant, SendCall.Entry entry) throws IOException, FabricException {
        VerbsDevice.Registration memory = device.register(grant.region);
        grant.window = device.verbs().allocWindow(device.pd());
        grant.isBinding = true;
        int access = ((grant.accessBits & Access.REMOTE_READ.bit) != 0 ? IbvMr.IBV_ACCESS_REMOTE_READ : 0)
                | ((grant.accessBits & Access.REMOTE_WRITE.bit) != 0 ? IbvMr.IBV_ACCESS_REMOTE_WRITE : 0);
        entry.bindWindow(
                grant.window, memory.memory(), grant.region.memory().address(), grant.region.lengthBytes(), access);
    }

    /** The bind is over. True if the peer is to be told. */
    boolean bound(Grant grant) {
        grant.isBinding = false;
        if (grant.isWithdrawn) {
            freedLater.remove(grant);
            free(grant);
        }
        return !grant.isWithdrawn;
    }

    private void free(Grant grant) {
        if (grant.window != null) {
            try {
                device.verbs().deallocWindow(grant.window);
            } catch (IOException e) {
                LOG.warn("cannot free a memory window: {}", e.getMessage());
            }
            grant.window = null;
        }
    }

    /** The queue pair is in the error state: nothing is being bound any more. */
    void freeAll() {
        grants.values().forEach(this::free);
        freedLater.forEach(this::free);
        grants.clear();
        freedLater.clear();
    }
}
