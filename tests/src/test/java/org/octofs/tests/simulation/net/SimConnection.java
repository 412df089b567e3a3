package org.octofs.tests.simulation.net;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.ConnectionState;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.ImmediateReceiver;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.PeerProcess;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.fabric.WorkStatus;
import org.octofs.tests.simulation.world.SimProcess;
import org.octofs.tests.simulation.world.SimWorld;

/**
 * One end of a simulated connection. A request takes effect at the peer some time after its post and completes some time after
 * that, both in the order posted.
 */
final class SimConnection implements Connection {
    private final SimFabric fabric;
    private final SimNetwork network;
    private final SimWorld world;
    private final SimQueue queue;
    private final Map<SimRegion, Integer> grants = new LinkedHashMap<>();
    private final ArrayDeque<Flight> flights = new ArrayDeque<>();
    private SimConnection peer;
    private byte[] peerPrivateData = {};
    private PeerProcess peerProcess;
    private ConnectionState state = ConnectionState.CONNECTING;
    private String failureReason = "";
    private ImmediateReceiver receiver;
    private Runnable failureAction;
    private Runnable acceptorFailure;
    private boolean failureDelivered;
    private long lastArrival;
    private long lastCompletion;

    SimConnection(SimFabric fabric, SimQueue queue) {
        this.fabric = fabric;
        this.network = fabric.network();
        this.world = network.world();
        this.queue = queue;
    }

    void open(SimConnection other, byte[] privateData, PeerProcess otherProcess) {
        peer = other;
        peerPrivateData = privateData;
        peerProcess = otherProcess;
        if (state == ConnectionState.CONNECTING) {
            state = ConnectionState.OPEN;
            queue.attach(this);
        }
    }

    SimConnection peer() {
        return peer;
    }

    SimProcess process() {
        return fabric.process();
    }

    void acceptorFailure(Runnable action) {
        acceptorFailure = action;
    }

    @Override
    public TransportKind transport() {
        return network.kind();
    }

    @Override
    public byte[] peerPrivateData() {
        return peerPrivateData.clone();
    }

    @Override
    public PeerProcess peerProcess() {
        return peerProcess;
    }

    @Override
    public ConnectionState state() {
        return state;
    }

    @Override
    public String failureReason() {
        return failureReason;
    }

    @Override
    public void receiver(ImmediateReceiver newReceiver) {
        receiver = newReceiver;
    }

    @Override
    public void onFailure(Runnable action) {
        failureAction = action;
        if (failureDelivered) {
            queue.add(() -> {
                if (state != ConnectionState.CLOSED) {
                    action.run();
                }
            });
        }
    }

    @Override
    public void post(WorkRequest request) {
        request.begin();
        if (state != ConnectionState.OPEN) {
            request.complete(WorkStatus.CONNECTION_FAILED);
            return;
        }
        long arrival = world.now() + network.latencyNanos(process(), peer.process(), request.lengthBytes());
        lastArrival = Math.max(lastArrival, arrival);
        Flight flight = new Flight(this, request);
        flights.add(flight);
        world.at(lastArrival, () -> arrive(flight));
    }

    @Override
    public void post(WorkRequest[] requests, int from, int count) {
        Objects.checkFromIndexSize(from, count, requests.length);
        for (int i = from; i < from + count; i++) {
            post(requests[i]);
        }
    }

    /** The request has reached the other end. */
    private void arrive(Flight flight) {
        if (flight.isLost() || peer.process().isDead()) {
            return; // the failure that goes with it has been noticed or will be
        }
        WorkStatus outcome = flight.execute();
        if (flight.isSettled()) {
            return; // its sender was told long ago that the outcome is unknown
        }
        lastCompletion = Math.max(lastCompletion, world.now() + network.latencyNanos(process(), peer.process(), 0));
        world.at(lastCompletion, () -> complete(flight, outcome));
    }

    private void complete(Flight flight, WorkStatus outcome) {
        if (flight.isSettled() || process().isDead()) {
            return;
        }
        if (outcome == WorkStatus.CONNECTION_FAILED) {
            fail("the peer does not take it");
            return;
        }
        flights.remove(flight);
        flight.settle(outcome);
        if (outcome != WorkStatus.SUCCESS) {
            world.note("refused on " + this);
            fail("not allowed by the peer");
        }
    }

    boolean grants(SimRegion region, int accessBit) {
        return state == ConnectionState.OPEN && (grants.getOrDefault(region, 0) & accessBit) != 0;
    }

    SimFabric fabric() {
        return fabric;
    }

    /** An immediate has come for this end; false if nobody takes it. */
    boolean deliver(int immediate) {
        if (state != ConnectionState.OPEN || queue.isClosed() || queue.isFull()) {
            return false;
        }
        queue.add(() -> {
            if (receiver != null && !failureDelivered && state != ConnectionState.CLOSED) {
                receiver.onImmediate(this, immediate);
            }
        });
        return true;
    }

    @Override
    public void await(WorkRequest request, long deadlineNanos) throws FabricException {
        request.waiter(Thread.currentThread());
        boolean interrupted = false;
        try {
            while (!request.isDone()) {
                long left = deadlineNanos - world.nanoTime();
                if (left <= 0) {
                    throw new FabricException(FabricException.Reason.TIMEOUT, "no completion in time: " + request);
                }
                LockSupport.parkNanos(this, left);
                interrupted |= Thread.interrupted();
            }
        } finally {
            request.waiter(null);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        switch (request.status()) {
            case SUCCESS -> {}
            case REMOTE_ACCESS_ERROR, REMOTE_BOUNDS_ERROR ->
                throw new FabricException(FabricException.Reason.REMOTE_ERROR, "the peer does not allow " + request);
            default ->
                throw new FabricException(
                        FabricException.Reason.CONNECTION_FAILED, "the connection is gone: " + failureReason);
        }
    }

    @Override
    public void grant(MemoryRegion region, Set<Access> access) {
        if (!region.access().containsAll(access)) {
            throw new IllegalArgumentException("the region has the access " + region.access() + ", not " + access);
        }
        if (state != ConnectionState.FAILED && state != ConnectionState.CLOSED) {
            grants.put((SimRegion) region, Access.bits(access));
        }
    }

    @Override
    public void revoke(MemoryRegion region) {
        grants.remove((SimRegion) region);
    }

    @Override
    public boolean isQuiet() {
        return true; // what arrives is executed at once, and only if it is still allowed
    }

    /** This end notices a failure. */
    void fail(String reason) {
        if (state == ConnectionState.CONNECTING || state == ConnectionState.OPEN) {
            failureReason = reason;
            state = ConnectionState.FAILED;
            end();
            queue.add(this::deliverFailure);
        }
    }

    @Override
    public void close() {
        ConnectionState before = state;
        state = ConnectionState.CLOSED;
        if (before != ConnectionState.CLOSED) {
            queue.detach(this);
            fabric.forget(this);
        }
        if (before == ConnectionState.OPEN) {
            end();
        }
    }

    private void end() {
        grants.clear();
        for (Flight flight : flights) {
            flight.keepOnTheWire(world.random().nextBoolean());
            flight.settle(WorkStatus.CONNECTION_FAILED);
        }
        flights.clear();
        tellPeer();
    }

    private void tellPeer() {
        if (peer != null) {
            world.after(network.noticeNanos(), () -> {
                if (!peer.process().isDead()) {
                    peer.fail("the connection failed at the other end");
                }
            });
        }
    }

    /** This end's process is gone: of what it has posted some prefix still arrives, and one request in part. */
    void processDied() {
        if (state != ConnectionState.OPEN) {
            return;
        }
        state = ConnectionState.CLOSED;
        int whole = flights.isEmpty() ? 0 : world.random().nextInt(flights.size() + 1);
        for (Flight flight : flights) {
            if (whole-- > 0) {
                flight.keepOnTheWire(true);
            } else {
                flight.keepPart(world.random(), whole == -1);
            }
        }
        flights.clear();
        tellPeer();
    }

    private void deliverFailure() {
        failureDelivered = true;
        if (state == ConnectionState.CLOSED) {
            return;
        }
        if (failureAction != null) {
            failureAction.run();
        }
        if (acceptorFailure != null) {
            acceptorFailure.run();
        }
    }

    @Override
    public String toString() {
        return process().name() + "-"
                + (peer == null ? "nobody" : peer.process().name());
    }
}
