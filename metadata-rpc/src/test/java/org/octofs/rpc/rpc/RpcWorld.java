package org.octofs.rpc.rpc;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.TransportChoice;

/**
 * A server with its worker thread and any number of clients, on fabrics of the transport under test.
 *
 * <p>The handler is a lambda that a test may change at any time; by default every request is answered with its own body.
 */
final class RpcWorld implements AutoCloseable {
    static final long SECOND = 1_000_000_000L;
    static final int OP_ECHO = 7;

    /** What differs between transports. */
    interface Wires extends AutoCloseable {
        Fabric createFabric(String name);

        TransportChoice choice();

        @Override
        void close();
    }

    final Wires wires;
    final BlockingQueue<RpcRequest> kept = new LinkedBlockingQueue<>();
    final AtomicInteger opened = new AtomicInteger();
    final AtomicInteger lost = new AtomicInteger();
    volatile Consumer<RpcRequest> onRequest = RpcWorld::echo;
    volatile java.util.function.Predicate<RpcRequest> onRecover = request -> false;
    volatile String rejection;
    volatile byte[] lastHello = {};
    volatile Thread worker;
    RpcServer server;
    InetSocketAddress address;

    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final List<RpcClient> clients = new ArrayList<>();
    private final List<Fabric> fabrics = new ArrayList<>();
    private Fabric serverFabric;
    private volatile boolean stopping;
    private volatile Throwable workerFailure;

    RpcWorld(Wires wires) {
        this.wires = wires;
        address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    RpcWorld startServer() throws IOException {
        return startServer(1);
    }

    RpcWorld startServer(int mapEpoch) throws IOException {
        serverFabric = wires.createFabric("server");
        server = new RpcServer(serverFabric, new RpcServerConfig(address, 100, mapEpoch), new Handler());
        address = server.address();
        stopping = false;
        worker = Thread.ofPlatform().daemon().name("rpc-test-worker").start(this::work);
        return this;
    }

    private void work() {
        try {
            while (!stopping) {
                int done = server.poll(64);
                for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                    task.run();
                    done++;
                }
                if (done == 0) {
                    server.await(serverFabric.nanoTime() + SECOND);
                }
            }
        } catch (Throwable t) {
            workerFailure = t;
        }
    }

    /** Ends the server as a crash would: nothing is answered any more. */
    void killServer() throws IOException {
        stopping = true;
        server.wakeup();
        try {
            worker.join(10_000);
        } catch (InterruptedException e) {
            throw new IOException("interrupted", e);
        }
        if (worker.isAlive() || workerFailure != null) {
            throw new AssertionError("the worker thread failed or does not end", workerFailure);
        }
        server.close();
        serverFabric.close();
        server = null;
        kept.clear();
    }

    /** Runs something in the worker thread. */
    void inWorker(Runnable task) {
        tasks.add(task);
        server.wakeup();
    }

    /** Runs something in the worker thread and waits for it. */
    void inWorkerNow(Runnable task) throws InterruptedException {
        java.util.concurrent.CountDownLatch done = new java.util.concurrent.CountDownLatch(1);
        inWorker(() -> {
            task.run();
            done.countDown();
        });
        if (!done.await(10, TimeUnit.SECONDS)) {
            throw new AssertionError("the worker thread does not run tasks", workerFailure);
        }
    }

    /** The handler keeps requests from now on instead of answering them. */
    void keepRequests() {
        onRequest = kept::add;
    }

    RpcRequest takeKept() throws InterruptedException {
        RpcRequest request = kept.poll(10, TimeUnit.SECONDS);
        if (request == null) {
            throw new AssertionError("no request has arrived");
        }
        return request;
    }

    Fabric serverFabric() {
        return serverFabric;
    }

    RpcClientConfig clientConfig(long clientId) {
        return RpcClientConfig.of(address, clientId)
                .withTransport(wires.choice())
                .withBackoff(1_000_000, 50_000_000);
    }

    Fabric newFabric(String name) {
        Fabric fabric = wires.createFabric(name);
        fabrics.add(fabric);
        return fabric;
    }

    RpcClient client(long clientId) throws RpcException {
        return client(clientConfig(clientId));
    }

    RpcClient client(RpcClientConfig config) throws RpcException {
        RpcClient client = lazyClient(config);
        client.awaitConnected(System.nanoTime() + 10 * SECOND);
        return client;
    }

    RpcClient lazyClient(RpcClientConfig config) throws RpcException {
        RpcClient client = new RpcClient(newFabric("client " + config.clientId()), config);
        clients.add(client);
        return client;
    }

    static long in(double seconds) {
        return System.nanoTime() + (long) (seconds * SECOND);
    }

    static void echo(RpcRequest request) {
        int length = request.body().lengthBytes();
        request.reply(length)
                .putBytes(0, request.body().memory(), request.body().memoryOffset(), length);
        request.send(0, length);
    }

    @Override
    public void close() throws IOException {
        for (RpcClient client : clients) {
            client.close();
        }
        if (server != null) {
            killServer();
        }
        for (Fabric fabric : fabrics) {
            fabric.close();
        }
        wires.close();
    }

    private final class Handler implements RpcHandler {
        @Override
        public void handle(RpcRequest request) {
            onRequest.accept(request);
        }

        @Override
        public boolean recoverReply(RpcRequest request) {
            return onRecover.test(request);
        }

        @Override
        public byte[] sessionOpened(RpcSession session, byte[] hello) throws RpcRejectedException {
            if (rejection != null) {
                throw new RpcRejectedException(rejection);
            }
            lastHello = hello;
            opened.incrementAndGet();
            return new byte[] {1, 2, 3};
        }

        @Override
        public void sessionLost(RpcSession session) {
            lost.incrementAndGet();
        }
    }
}
