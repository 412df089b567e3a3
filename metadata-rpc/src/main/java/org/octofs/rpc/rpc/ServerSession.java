package org.octofs.rpc.rpc;

import java.util.ArrayList;
import java.util.List;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.PeerProcess;
import org.octofs.rpc.fabric.TransportKind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client as its server knows it: slots, reply cache, and the connection of the moment.
 *
 * <p>Threading: confined to the server's worker. Ownership: owns the memory of its slots, and closes it when it has ended
 * and the last request that was in work has been answered, since the handler may be reading that request.
 */
final class ServerSession implements RpcSession {
    private static final Logger LOG = LoggerFactory.getLogger(ServerSession.class);

    private final RpcServer server;
    private final int index;
    private final long clientId;
    private final MemoryRegion region;
    private final RegionPool regions;
    private final ServerSlot[] slots;
    private Connection connection;
    private final List<Connection> former = new ArrayList<>(1);
    private PeerProcess lastProcess;
    private long lastHeardNanos;
    private Object attachment;
    private int inWork;
    private boolean ended;

    ServerSession(RpcServer server, Fabric fabric, int index, long clientId, int slotCount, MemoryRegion region) {
        this.server = server;
        this.index = index;
        this.clientId = clientId;
        this.region = region;
        this.regions = new RegionPool(fabric);
        this.lastHeardNanos = server.pollNanos();
        slots = new ServerSlot[slotCount];
        for (int i = 0; i < slotCount; i++) {
            slots[i] = new ServerSlot(server, this, i);
        }
    }

    int index() {
        return index;
    }

    int slotCount() {
        return slots.length;
    }

    MemoryRegion region() {
        return region;
    }

    RegionPool regions() {
        return regions;
    }

    /**
     * A connection is about to be accepted.
     *
     * @return the key of the request slots for it; older keys end here
     */
    long expect(HelloLayout.Hello hello) {
        assert hello.clientId() == clientId;
        return region.renew();
    }

    void attach(Connection fresh, HelloLayout.Hello hello) {
        connection = fresh;
        lastProcess = fresh.peerProcess();
        lastHeardNanos = server.pollNanos();
        fresh.receiver(this::onImmediate);
        fresh.grant(region);
        for (int i = 0; i < slots.length; i++) {
            slots[i].reconnected(hello.replyRkey(), (long) i * hello.slotBytes(), hello.slotBytes());
        }
    }

    @SuppressWarnings("ReferenceEquality")
    boolean isAttachedTo(Connection other) {
        return connection == other;
    }

    /**
     * Lets go of the connection, if there is one.
     *
     * @return true if there was one
     */
    boolean detach() {
        Connection old = connection;
        connection = null;
        if (old != null) {
            // The time away begins now. A client that had nothing to ask for long was there all the while.
            lastHeardNanos = server.pollNanos();
            old.close();
            if (!isOver(old)) {
                former.removeIf(earlier -> isOver(earlier) || isOfSameProcess(earlier, old));
                former.add(old);
            }
        }
        return old != null;
    }

    void end() {
        ended = true;
        detach();
        closeIfQuiet();
    }

    void workBegun() {
        inWork++;
    }

    void workDone() {
        inWork--;
        closeIfQuiet();
    }

    private void closeIfQuiet() {
        if (ended && inWork == 0) {
            for (ServerSlot slot : slots) {
                slot.releaseMemory();
            }
            regions.close();
            region.close();
        }
    }

    private void onImmediate(Connection from, int immediate) {
        if (!isAttachedTo(from)) {
            server.counters().lateReply();
            return;
        }
        lastHeardNanos = server.pollNanos();
        int slot = immediate & 0xFFFF;
        String problem = (immediate >>> 16) != index || slot >= slots.length
                ? "immediate of another session or slot"
                : slots[slot].onMessage();
        if (problem != null) {
            server.counters().refusedReply();
            LOG.warn(
                    "dropping the connection of client {} ({}): {} (immediate {})",
                    Long.toHexString(clientId),
                    lastProcess.name(),
                    problem,
                    immediate);
            detach();
            server.handler().sessionLost(this);
        }
    }

    @Override
    public long clientId() {
        return clientId;
    }

    @Override
    public boolean isConnected() {
        return connection != null;
    }

    @Override
    public Connection connection() {
        return connection;
    }

    @Override
    public long lastHeardNanos() {
        return lastHeardNanos;
    }

    @Override
    public boolean peerProcessKnownDead() {
        return lastProcess != null && lastProcess.isKnownDead();
    }

    @Override
    public boolean mayStillWrite() {
        former.removeIf(ServerSession::isOver);
        return connection != null || !former.isEmpty();
    }

    /** Whether nothing can come over a closed connection any more. */
    private static boolean isOver(Connection closed) {
        return closed.transport() == TransportKind.SHM ? closed.peerProcess().isKnownDead() : closed.isQuiet();
    }

    /** Over shm it is the process that counts, and one connection of it is enough to ask. */
    private static boolean isOfSameProcess(Connection one, Connection other) {
        return one.transport() == TransportKind.SHM
                && other.transport() == TransportKind.SHM
                && one.peerProcess().pid() == other.peerProcess().pid();
    }

    @Override
    public Object attachment() {
        return attachment;
    }

    @Override
    public void attach(Object value) {
        attachment = value;
    }
}
