package org.octofs.tests.lease;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.Consistency;
import org.octofs.client.client.FsClient;
import org.octofs.fuse.fuse.AdapterPolicy;
import org.octofs.fuse.fuse.FuseAdapter;
import org.octofs.fuse.fuse.FuseOperations;
import org.octofs.fuse.fuse.MountFlag;
import org.octofs.fuse.fuse.MountParameters;
import org.octofs.fuse.kernel.KernelBinding;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.tests.support.LocalCluster;

/** One mount of a cluster in this process, by the kernel binding; counts the requests of the kernel and the calls to servers. */
final class LeasedMount implements AutoCloseable {
    private static final int THREADS = 6;

    private final FsClient client;
    private final KernelBinding binding;
    private final Path directory;
    private final Thread server;
    private final ConcurrentHashMap<String, LongAdder> requests = new ConcurrentHashMap<>();

    LeasedMount(LocalCluster cluster, Duration quiet) throws IOException {
        client = cluster.client(ClientConfig.builder().leaseQuiet(quiet).operationDeadline(Duration.ofSeconds(60)));
        directory = Files.createTempDirectory("octofs-lease").toRealPath();
        binding = new KernelBinding(
                Thread.ofPlatform().daemon().name("lease-fuse-", 0).factory());
        FuseAdapter adapter = new FuseAdapter(client, AdapterPolicy.of(Consistency.COHERENT, true, true));
        binding.mount(
                new MountParameters(
                        directory,
                        "leased",
                        false,
                        false,
                        EnumSet.noneOf(MountFlag.class),
                        1 << 20,
                        1 << 20,
                        THREADS,
                        false),
                counting(adapter));
        server = Thread.ofPlatform().daemon().name("lease-mount").start(() -> {
            try {
                binding.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private FuseOperations counting(FuseOperations target) {
        return (FuseOperations) java.lang.reflect.Proxy.newProxyInstance(
                FuseOperations.class.getClassLoader(),
                new Class<?>[] {FuseOperations.class},
                (_, method, arguments) -> {
                    requests.computeIfAbsent(method.getName(), _ -> new LongAdder())
                            .increment();
                    try {
                        return method.invoke(target, arguments);
                    } catch (java.lang.reflect.InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    Path directory() {
        return directory;
    }

    FsClient client() {
        return client;
    }

    /** Requests of the kernel for names and attributes so far. */
    long looks() {
        return count("lookup") + count("getattr");
    }

    private long count(String request) {
        LongAdder adder = requests.get(request);
        return adder == null ? 0 : adder.sum();
    }

    /** Calls to servers so far, but for the one that waits for recalls. */
    long calls() {
        long sum = 0;
        for (int opCode = 1; opCode < 64; opCode++) {
            sum += opCode == OpCode.RECALLS ? 0 : client.counters().rpcs(opCode);
        }
        return sum;
    }

    @Override
    public void close() throws IOException {
        try {
            binding.unmount(true);
            if (!server.join(Duration.ofSeconds(30))) {
                throw new IllegalStateException(directory + " is unmounted, but its threads do not end");
            }
            binding.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            Files.delete(directory);
        }
    }
}
