package org.octofs.server.txn;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.CreateRequest;
import org.octofs.rpc.protocol.message.EntryReply;
import org.octofs.rpc.protocol.message.LookupRequest;
import org.octofs.rpc.protocol.message.RenameRequest;
import org.octofs.rpc.rpc.RpcCall;
import org.octofs.server.namespace.Name;
import org.octofs.server.ops.MkdirHandler;

/**
 * Goal: with real threads, calls and one-sided writes, renames by several clients lose and double nothing, also when a server is
 * killed and restarted. Method: three servers, three clients, six files that go from directory to directory.
 */
@Timeout(120)
class ThreadedStormTest {
    private static final long ROOT = InodeNumber.ROOT;
    private static final int FILES = 6;
    private static final int ROUNDS = 60;

    private ThreadedCluster cluster;

    @Test
    void everyFileIsThereOnce() throws Exception {
        try (ThreadedCluster servers = new ThreadedCluster(3)) {
            cluster = servers;
            ThreadedCluster.Client first = cluster.client();
            first.awaitConnected();
            long[] directories = new long[3];
            for (int i = 0; i < directories.length; i++) {
                directories[i] = make(first, OpCode.MKDIR, ROOT, nameOn(i), FileMode.DIRECTORY | 0x1ED);
                assertThat(home(directories[i])).isEqualTo(i);
            }
            for (int i = 0; i < FILES; i++) {
                make(first, OpCode.CREATE, directories[i % 3], "file" + i, FileMode.REGULAR | 0x1A4);
            }
            List<ThreadedCluster.Client> clients = List.of(first, cluster.client(), cluster.client());
            try (ExecutorService threads = Executors.newFixedThreadPool(clients.size())) {
                List<Future<Integer>> results = new ArrayList<>();
                for (int i = 0; i < clients.size(); i++) {
                    int seed = i;
                    results.add(threads.submit(() -> storm(clients.get(seed), directories, new Random(seed))));
                }
                for (int i = 0; i < 3; i++) {
                    cluster.kill(i);
                    cluster.start(i);
                    first.awaitConnected();
                }
                int moved = 0;
                for (Future<Integer> result : results) {
                    moved += result.get();
                }
                assertThat(moved).isGreaterThan(ROUNDS / 2);
            }
            cluster.awaitQuiet();
            for (int i = 0; i < FILES; i++) {
                int places = 0;
                for (long directory : directories) {
                    places += find(first, directory, "file" + i) == 0 ? 0 : 1;
                }
                assertThat(places).as("places of file %d", i).isEqualTo(1);
            }
        }
    }

    private int storm(ThreadedCluster.Client client, long[] directories, Random random) throws Exception {
        int moved = 0;
        for (int i = 0; i < ROUNDS; i++) {
            String name = "file" + random.nextInt(FILES);
            int from = random.nextInt(3);
            Errno errno = rename(client, directories[from], name, directories[(from + 1 + random.nextInt(2)) % 3]);
            assertThat(errno).isIn(Errno.OK, Errno.ENOENT);
            moved += errno == Errno.OK ? 1 : 0;
        }
        return moved;
    }

    private int home(long ino) {
        return cluster.map.homeOf(InodeNumber.shard(ino));
    }

    private String nameOn(int node) {
        Name name = new Name();
        for (int i = 0; ; i++) {
            name.set(("d" + i).getBytes(StandardCharsets.UTF_8));
            if (cluster.map.homeOf(MkdirHandler.shardFor(ROOT, name, ThreadedCluster.SHARDS)) == node) {
                return "d" + i;
            }
        }
    }

    private static long deadline() {
        return System.nanoTime() + 60_000_000_000L;
    }

    private long make(ThreadedCluster.Client client, int opCode, long parent, String name, int mode) throws Exception {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        int length = CreateRequest.FIXED_BYTES + bytes.length;
        try (RpcCall call = client.connection(home(parent)).begin(opCode, length, deadline())) {
            new CreateRequest()
                    .wrap(call.request())
                    .parent(parent)
                    .mode(mode)
                    .uid(0)
                    .gid(0)
                    .flags(1)
                    .rdev(0)
                    .name(bytes, 0, bytes.length)
                    .target(new byte[0], 0, 0);
            call.send(length);
            assertThat(Errno.of(call.await())).isEqualTo(Errno.OK);
            return new EntryReply().wrap(call.reply()).ino();
        }
    }

    private long find(ThreadedCluster.Client client, long parent, String name) throws Exception {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        int length = LookupRequest.FIXED_BYTES + bytes.length;
        try (RpcCall call = client.connection(home(parent)).begin(OpCode.LOOKUP, length, deadline())) {
            new LookupRequest().wrap(call.request()).parent(parent).name(bytes, 0, bytes.length);
            call.send(length);
            return call.await() == 0 ? new EntryReply().wrap(call.reply()).ino() : 0;
        }
    }

    private Errno rename(ThreadedCluster.Client client, long from, String name, long to) throws Exception {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        int length = RenameRequest.FIXED_BYTES + 2 * bytes.length;
        try (RpcCall call = client.connection(home(from)).begin(OpCode.RENAME, length, deadline())) {
            new RenameRequest()
                    .wrap(call.request())
                    .sourceParent(from)
                    .targetParent(to)
                    .flags(0)
                    .reserved(0)
                    .sourceName(bytes, 0, bytes.length)
                    .targetName(bytes, 0, bytes.length);
            call.send(length);
            return Errno.of(call.await());
        }
    }
}
