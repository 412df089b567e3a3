package org.octofs.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.tests.posix.ClientPosix;
import org.octofs.tests.posix.Posix;
import org.octofs.tests.support.LocalCluster;

/** Goal: every call with its exact errors. Method: tables of cases, straight to the client library, over three servers. */
class ClientConformanceTest {
    private static final long ROOT = 1;

    @AutoClose
    private LocalCluster cluster;

    private FsClient client;

    @BeforeEach
    void start() throws IOException {
        cluster = LocalCluster.start(3, LocalCluster.Transport.LOOPBACK);
        client = cluster.client();
    }

    @ParameterizedTest
    @ValueSource(strings = {"names", "files"})
    void answersAsTheTablesSay(String table) {
        assertThat(CaseTable.failures(CaseTable.read(table), freshFolders(client)))
                .isEmpty();
    }

    /** Each in another shard, as new directories are. */
    static Supplier<Posix> freshFolders(FsClient client) {
        int[] number = new int[1];
        return () -> {
            try {
                Attributes made = new Attributes();
                byte[] name = ("case" + number[0]++).getBytes(StandardCharsets.US_ASCII);
                client.mkdir(ROOT, name, 0755, 0, 0, made);
                return new ClientPosix(client, made.ino());
            } catch (FsException e) {
                throw new AssertionError(e);
            }
        };
    }
}
