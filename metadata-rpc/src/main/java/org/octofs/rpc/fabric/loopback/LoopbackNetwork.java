package org.octofs.rpc.fabric.loopback;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricConfig;

/**
 * The wires between the fabrics of one process: listeners by address, and the scheduler of a stepped network.
 *
 * <p>Threading: a threaded network any; a stepped one a single thread.
 */
public final class LoopbackNetwork {
    private static final int FIRST_FREE_PORT = 49_152;

    private final Map<InetSocketAddress, LoopbackListener> listeners = new ConcurrentHashMap<>();
    private final AtomicInteger nextPort = new AtomicInteger(FIRST_FREE_PORT);
    private final AtomicInteger nextProcess = new AtomicInteger(1);
    private final LoopbackScheduler scheduler;
    private volatile WriteObserver writeObserver = WriteObserver.NONE;

    private LoopbackNetwork(LoopbackScheduler scheduler) {
        this.scheduler = scheduler;
    }

    /**
     * A network on which a verb takes effect inside post. Connecting waits for the other side's poll, so the two sides
     * need a thread each.
     */
    public static LoopbackNetwork threaded() {
        return new LoopbackNetwork(null);
    }

    /**
     * A network for one thread: verbs take effect when the scheduler says so; connecting calls the acceptor at once;
     * whoever waits steps the scheduler, and stops waiting when it has nothing left to do.
     */
    public static LoopbackNetwork stepped(LoopbackScheduler scheduler) {
        return new LoopbackNetwork(scheduler);
    }

    /** A new process's fabric on this network. */
    public Fabric createFabric(FabricConfig config) {
        return new LoopbackFabric(this, config, nextProcess.getAndIncrement());
    }

    /** From now on somebody sees every one-sided write of this network: a medium that has to know what is not durable. */
    public void observeWrites(WriteObserver observer) {
        writeObserver = observer;
    }

    WriteObserver writeObserver() {
        return writeObserver;
    }

    /** Breaks a connection of this network at both ends. */
    public void fail(Connection connection, String reason) {
        ((LoopbackConnection) connection).fail(reason);
    }

    /** Null on a threaded network. */
    LoopbackScheduler scheduler() {
        return scheduler;
    }

    InetSocketAddress bind(InetSocketAddress address, LoopbackListener listener) throws IOException {
        InetSocketAddress bound = address.getPort() != 0
                ? address
                : new InetSocketAddress(address.getAddress(), nextPort.getAndIncrement());
        if (listeners.putIfAbsent(bound, listener) != null) {
            throw new IOException("cannot listen on " + bound + ": the address is in use");
        }
        return bound;
    }

    void unbind(InetSocketAddress address, LoopbackListener listener) {
        listeners.remove(address, listener);
    }

    LoopbackListener find(InetSocketAddress address) {
        return listeners.get(address);
    }
}
