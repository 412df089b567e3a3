package org.octofs.tests.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.lease.Arming;
import org.octofs.client.lease.KernelCache;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.tests.support.LocalCluster;

/**
 * Goal: a look does not wait for a lease: attributes that were read are answered at once when their home is silent.
 * Method: a home whose worker is held, while its memory can be read; the test is the kernel.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SilentHomeTest {
    private static final long SECOND = 1_000_000_000L;

    private final Attributes attributes = new Attributes();
    private final Arming arming = new Arming();

    private long file(FsClient client, String name) throws FsException {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        client.release(client.create(InodeNumber.ROOT, bytes, 0600, 0, 0, 2, attributes));
        return attributes.ino();
    }

    /** For how long the kernel may keep what it is answered. */
    private long look(FsClient client, long ino) throws FsException {
        client.leases().begin(arming);
        client.getAttributes(ino, attributes);
        long kept = client.leases().attributes(arming, ino);
        client.leases().answered(arming);
        return kept;
    }

    private void lookUntilKept(FsClient client, long ino) throws FsException {
        long start = System.nanoTime();
        while (look(client, ino) == 0) {
            assertThat(System.nanoTime() - start).isLessThan(20 * SECOND);
            Thread.onSpinWait();
        }
    }

    @Test
    void aLookDoesNotWaitForALeaseOfASilentHome() throws IOException {
        try (LocalCluster cluster = LocalCluster.start(1, LocalCluster.Transport.SHM);
                FsClient client = cluster.client(ClientConfig.builder().operationDeadline(Duration.ofSeconds(30)))) {
            client.leases().start(KernelCache.EMPTY);
            long known = file(client, "known");
            long other = file(client, "other");
            lookUntilKept(client, known);
            look(client, other);
            long asked = client.counters().rpcs(OpCode.LEASE);
            cluster.server(0).hold();
            try {
                long start = System.nanoTime();
                for (int i = 0; i < 50; i++) {
                    look(client, other);
                }
                assertThat(System.nanoTime() - start).isLessThan(5 * SECOND);
                assertThat(client.counters().rpcs(OpCode.LEASE) - asked)
                        .as("each is a slot less for others")
                        .isBetween(1L, 5L);
            } finally {
                cluster.server(0).goOn();
            }
            lookUntilKept(client, other);
            client.leases().stop();
        }
    }
}
