package org.octofs.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.octofs.tests.conformance.NamespaceTest.name;

import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.client.client.AttributeChange;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.Consistency;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenFlags;
import org.octofs.fuse.fuse.AdapterPolicy;
import org.octofs.fuse.fuse.FuseAdapter;
import org.octofs.fuse.kernel.RequestFuzzer;
import org.octofs.fuse.kernel.ServedRequests;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.tests.support.LocalCluster;

/**
 * Malformed and surprising requests of a kernel go through the mount's engine and the client to the servers: no fault of ours comes
 * to light, nothing stays open, everybody goes on serving, and the pools are in order.
 */
class FuzzedMountTest {
    private static final int REQUESTS = 15_000;

    private static void run(long seed, int count) throws IOException {
        System.out.println("fuzzed mount: seed " + seed);
        try (LocalCluster cluster = LocalCluster.start(2, LocalCluster.Transport.LOOPBACK)) {
            FsClient client = cluster.client();
            FuseAdapter adapter = new FuseAdapter(client, AdapterPolicy.of(Consistency.COHERENT, true));
            try (ServedRequests served = new ServedRequests(adapter)) {
                RequestFuzzer fuzzer = new RequestFuzzer(served, seed);
                fuzzer.warmUp();
                fuzzer.run(count);
                fuzzer.finish();
                System.out.println("errno and how often: " + fuzzer.answers());
                assertThat(fuzzer.answers()).containsKey(0).doesNotContainKey(Errno.EIO.value);
                assertThat(served.faultCount()).as("faults of the engine").isZero();
            }
            assertThat(adapter.faultCount()).as("faults of ours").isZero();
            assertThat(adapter.openCount())
                    .as("files and directories that stay open")
                    .isZero();
            Attributes out = new Attributes();
            client.mkdir(1, name("afterwards"), 0755, 0, 0, 0, out);
            assertThat(out.isDirectory()).isTrue();
        } catch (AssertionError e) {
            throw new AssertionError("seed " + seed, e);
        }
    }

    /** Something else may have the number of a file by the time that somebody opens it, or changes its size. */
    @Test
    @Timeout(60)
    void whatHasNoDataIsNeitherOpenedNorCut() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(2, LocalCluster.Transport.LOOPBACK)) {
            FsClient client = cluster.client();
            Attributes out = new Attributes();
            client.mkdir(1, name("directory"), 0755, 0, 0, 0, out);
            refused(client, out.ino(), Errno.EISDIR);
            client.symlink(1, name("link"), name("target"), 0, 0, out);
            refused(client, out.ino(), Errno.ELOOP);
            client.mknod(1, name("fifo"), FileMode.FIFO | 0644, 0, 0, 0, 0, out);
            refused(client, out.ino(), Errno.ENXIO);
            refused(client, Long.MAX_VALUE, Errno.ESTALE);
            client.sync();
        }
    }

    private static void refused(FsClient client, long ino, Errno errno) {
        assertThatThrownBy(() -> client.open(ino, OpenFlags.RDWR))
                .isInstanceOfSatisfying(
                        FsException.class, e -> assertThat(e.errno()).isEqualTo(errno));
        assertThatThrownBy(() -> client.setAttributes(ino, new AttributeChange().sizeBytes(1), new Attributes()))
                .isInstanceOfSatisfying(
                        FsException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    @Timeout(120)
    void eachIsAnsweredOnce() throws Exception {
        run(System.nanoTime(), REQUESTS);
    }

    @Test
    @Tag("slow")
    @Timeout(1800)
    void eachIsAnsweredOnceForLong() throws Exception {
        long first = System.nanoTime();
        for (long seed = first; seed < first + 20; seed++) {
            run(seed, 4 * REQUESTS);
        }
    }
}
