package org.octofs.server.txn;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.CreateRequest;
import org.octofs.rpc.protocol.message.EntryReply;
import org.octofs.rpc.protocol.message.LookupRequest;
import org.octofs.rpc.rpc.RpcCall;
import org.octofs.server.namespace.Name;
import org.octofs.server.ops.MkdirHandler;
import org.octofs.server.store.InodeRecord;

/** Goal: transactions work between whole servers with real calls and one-sided writes. Method: two servers, a thread each. */
@Timeout(60)
class ThreadedClusterTest {
    private static final long ROOT = InodeNumber.ROOT;

    @Test
    void mkdirAndRmdirGoOverTwoServers() throws Exception {
        try (ThreadedCluster cluster = new ThreadedCluster(2)) {
            ThreadedCluster.Client client = cluster.client();
            client.awaitConnected();
            String name = nameOn(cluster, 1);
            long ino = mkdir(client, name);
            assertThat(cluster.map.homeOf(InodeNumber.shard(ino))).isEqualTo(1);
            cluster.awaitQuiet();
            InodeRecord made = new InodeRecord();
            assertThat(cluster.server(1).state().inodes().find(ino, made)).isTrue();
            assertThat(made.parent()).isEqualTo(ROOT);
            assertThat(remove(client, name)).isEqualTo(Errno.OK);
            cluster.awaitQuiet();
            assertThat(cluster.server(0).state().inodes().find(ROOT, made)).isTrue();
            assertThat(made.nlink()).isEqualTo(2);
        }
    }

    @Test
    void nothingIsLostWhenServersAreKilled() throws Exception {
        try (ThreadedCluster cluster = new ThreadedCluster(2)) {
            ThreadedCluster.Client client = cluster.client();
            client.awaitConnected();
            int made = 0;
            for (int round = 0; round < 4; round++) {
                for (int i = 0; i < 10; i++) {
                    mkdir(client, "r" + round + "d" + i);
                    made++;
                }
                int victim = round % 2;
                cluster.kill(victim);
                cluster.start(victim);
            }
            client.awaitConnected();
            mkdir(client, "last");
            cluster.awaitQuiet();
            InodeRecord root = new InodeRecord();
            assertThat(cluster.server(0).state().inodes().find(ROOT, root)).isTrue();
            assertThat(root.entryCount()).isEqualTo(made + 1);
            assertThat(root.nlink()).isEqualTo(made + 3);
            assertThat(cluster.server(1).state().inodes().size()).isGreaterThan(5);
        }
    }

    private static String nameOn(ThreadedCluster cluster, int node) {
        Name name = new Name();
        for (int i = 0; ; i++) {
            name.set(("d" + i).getBytes(StandardCharsets.UTF_8));
            if (cluster.map.homeOf(MkdirHandler.shardFor(ROOT, name, ThreadedCluster.SHARDS)) == node) {
                return "d" + i;
            }
        }
    }

    private static long mkdir(ThreadedCluster.Client client, String name) throws Exception {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        int length = CreateRequest.FIXED_BYTES + bytes.length;
        try (RpcCall call = client.connection(0).begin(OpCode.MKDIR, length, System.nanoTime() + 20_000_000_000L)) {
            new CreateRequest()
                    .wrap(call.request())
                    .parent(ROOT)
                    .mode(FileMode.DIRECTORY | 0x1ED)
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

    private static Errno remove(ThreadedCluster.Client client, String name) throws Exception {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        byte[] body = new byte[LookupRequest.FIXED_BYTES + bytes.length];
        MessageBuffer buffer = new MessageBuffer(MemorySegment.ofArray(body));
        new LookupRequest().wrap(buffer).parent(ROOT).name(bytes, 0, bytes.length);
        try (RpcCall call =
                client.connection(0).begin(OpCode.RMDIR, body.length, System.nanoTime() + 20_000_000_000L)) {
            call.request().putBytes(0, body, 0, body.length);
            call.send(body.length);
            return Errno.of(call.await());
        }
    }
}
