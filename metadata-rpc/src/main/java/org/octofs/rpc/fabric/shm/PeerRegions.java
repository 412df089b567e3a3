package org.octofs.rpc.fabric.shm;

import java.util.Arrays;
import java.util.function.Consumer;
import org.octofs.rpc.fabric.RemoteRegion;
import org.octofs.rpc.fabric.handshake.ControlChannel;
import org.octofs.rpc.fabric.handshake.Frame;
import org.octofs.rpc.fabric.handshake.HandshakeException;
import org.octofs.rpc.fabric.transport.ConnectionPageLayout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The peer's regions that are mapped on one connection, as its GRANT and REVOKE frames say.
 *
 * <p>Threading: {@link #find} any, without a lock; changes under the monitor. Limits: region indices below
 * {@link ConnectionPageLayout#REGION_COUNT}.
 */
final class PeerRegions implements ControlChannel.Receiver {
    private static final Logger LOG = LoggerFactory.getLogger(PeerRegions.class);
    private static final int FIRST_LENGTH = 16;

    private final Consumer<String> onEnd;
    private volatile MappedRegion[] regions = new MappedRegion[FIRST_LENGTH];
    private boolean closed;

    PeerRegions(Consumer<String> onEnd) {
        this.onEnd = onEnd;
    }

    /** The mapping for exactly this rkey, or null. */
    MappedRegion find(long rkey) {
        MappedRegion[] table = regions;
        int index = RemoteRegion.indexOf(rkey);
        if (index < 0 || index >= table.length) {
            return null;
        }
        MappedRegion region = table[index];
        return region == null || region.rkey() != rkey ? null : region;
    }

    @Override
    public void onFrame(Frame frame) throws HandshakeException {
        switch (frame.type()) {
            case GRANT -> grant(frame);
            case REVOKE -> revoke(frame);
            case BYE -> frame.end(); // the end of the channel follows
            case HELLO, ACCEPT, REJECT, REVOKED -> throw new HandshakeException(frame.type() + " after the handshake");
        }
    }

    private synchronized void grant(Frame frame) throws HandshakeException {
        if (closed) {
            return;
        }
        MappedRegion[] table = regions;
        MappedRegion announced = MappedRegion.of(frame, index -> index < table.length ? table[index] : null);
        set(RemoteRegion.indexOf(announced.rkey()), announced);
    }

    private synchronized void revoke(Frame frame) throws HandshakeException {
        int index = MappedRegion.indexOf((long) frame.getInt() << Integer.SIZE);
        int unusedReserved = frame.getInt();
        long instance = frame.getLong();
        frame.end();
        MappedRegion[] table = regions;
        if (index < table.length && table[index] != null && table[index].instance() == instance) {
            set(index, null);
        }
    }

    private void set(int index, MappedRegion region) {
        MappedRegion[] before = regions;
        MappedRegion[] changed = Arrays.copyOf(
                before,
                index < before.length
                        ? before.length
                        : Math.min(ConnectionPageLayout.REGION_COUNT, Math.max(index + 1, 2 * before.length)));
        MappedRegion replaced = changed[index];
        changed[index] = region;
        regions = changed;
        if (region != null && region.memory() == null) {
            LOG.warn("cannot map memory that a peer grants: {}", region.problem());
        }
        if (replaced != null && (region == null || !replaced.arena().equals(region.arena()))) {
            replaced.unmap();
        }
    }

    @Override
    public void onEnd(String reason) {
        onEnd.accept(reason);
    }

    synchronized void unmapAll() {
        closed = true;
        MappedRegion[] table = regions;
        regions = new MappedRegion[FIRST_LENGTH];
        for (MappedRegion region : table) {
            if (region != null) {
                region.unmap();
            }
        }
    }
}
