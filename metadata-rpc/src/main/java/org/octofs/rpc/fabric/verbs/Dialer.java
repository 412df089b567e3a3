package org.octofs.rpc.fabric.verbs;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.octofs.rpc.fabric.verbs.provider.ConnectParameters;
import org.octofs.rpc.fabric.verbs.provider.ForeignVerbs;
import org.octofs.rpc.fabric.verbs.provider.NativeCmEvent;
import org.octofs.rpc.fabric.verbs.provider.NativeContext;

/** The connecting half of a queue pair's connection. Blocks its thread, within a deadline; confined to it. */
final class Dialer {
    /** READs outstanding in each direction; more than a card works on at a time only wait there. */
    private static final int READ_DEPTH_MAX = 16;

    private static final int RETRIES = 7;
    /** For ever: the look of the loop ends it, see {@link VerbsConnection#checkAlive}. */
    private static final int NOT_READY_RETRIES = 7;

    private final VerbsTransport transport;
    private final VerbsConnection connection;
    private final VerbsParameters peer;
    private final long deadlineNanos;
    private final BlockingQueue<NativeCmEvent> events = new LinkedBlockingQueue<>();

    Dialer(VerbsTransport transport, VerbsConnection connection, VerbsParameters peer, long deadlineNanos) {
        this.transport = transport;
        this.connection = connection;
        this.peer = peer;
        this.deadlineNanos = deadlineNanos;
    }

    /** Parameters of a connection on a device. */
    static ConnectParameters parameters(byte[] privateData, ForeignVerbs.DeviceLimits limits) {
        return new ConnectParameters(
                privateData,
                Math.min(READ_DEPTH_MAX, limits.readDepth()),
                Math.min(READ_DEPTH_MAX, limits.readInitiatorDepth()),
                RETRIES,
                NOT_READY_RETRIES);
    }

    /** Connects to one of the peer's addresses; leaves nothing behind when it fails. */
    void dial(InetAddress address) throws IOException {
        VerbsLoop loop = transport.loop();
        RdmaCmId id = loop.cmChannel().createId(RdmaCm.RDMA_PS_TCP);
        boolean done = false;
        boolean prepared = false;
        loop.handle(id, events::add);
        try {
            id.resolveAddr(null, new InetSocketAddress(address, peer.port()), millisLeft());
            await(NativeCmEvent.ADDRESS_RESOLVED);
            id.resolveRoute(millisLeft());
            await(NativeCmEvent.ROUTE_RESOLVED);
            VerbsDevice device = transport.device((NativeContext) id.getVerbs());
            connection.prepare(id, device);
            prepared = true;
            id.connect(parameters(peer.privateData(), device.limits()));
            await(NativeCmEvent.ESTABLISHED);
            loop.handle(id, event -> transport.onConnectionEvent(connection, event));
            // Between the two handlers the end of the connection may have come.
            for (NativeCmEvent event = events.poll(); event != null; event = events.poll()) {
                transport.onConnectionEvent(connection, event);
            }
            done = true;
        } finally {
            // The connection may have been closed meanwhile, and have freed it.
            if (!done && (!prepared || connection.unprepare() != null)) {
                transport.destroy(id);
            }
        }
        connection.connected();
    }

    private int millisLeft() throws IOException {
        long left = deadlineNanos - transport.config().clock().getAsLong();
        if (left <= 0) {
            throw new IOException("no answer within the time allowed");
        }
        return (int) TimeUnit.NANOSECONDS.toMillis(left) + 1;
    }

    private void await(int wanted) throws IOException {
        try {
            NativeCmEvent event = events.poll(millisLeft(), TimeUnit.MILLISECONDS);
            if (event == null) {
                throw new IOException("no answer within the time allowed");
            }
            if (event.getEvent() != wanted) {
                throw new IOException(event.text());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
