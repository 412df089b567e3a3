package org.octofs.client.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.octofs.client.bench.Meter.Measurement;
import org.octofs.client.bench.Table.Goal;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.FsClient;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.rpc.RpcException;

/** The row of the table about mkdir whose directory and parent have different homes. One thread. */
final class MkdirRows implements AutoCloseable {
    private static final int NAMES = 32;
    private static final int TRIES = 4096;
    private static final int MODE = 0700;

    private final Table table;
    private final Meter meter;
    private final int runs;
    private final ClusterMap map;
    private final TransportChoice transport;
    private final FsClient client;
    private final NullCaller caller;
    private final Attributes attributes = new Attributes();

    MkdirRows(Table table, Meter meter, int runs, ClusterMap map, TransportChoice transport) throws Exception {
        this.table = table;
        this.meter = meter;
        this.runs = runs;
        this.map = map;
        this.transport = transport;
        client = FsClient.connect(
                map,
                ClientConfig.builder().name("bench mkdir").transport(transport).build());
        caller = new NullCaller(map, transport);
    }

    void run() throws Exception {
        List<byte[]> names = namesElsewhere();
        Meter.Undone mkdir = new Meter.Undone() {
            @Override
            public void run(long index) throws IOException {
                client.mkdir(InodeNumber.ROOT, names.get((int) (index % NAMES)), MODE, 0, 0, attributes);
            }

            @Override
            public void undo(long index) throws IOException {
                client.rmdir(InodeNumber.ROOT, names.get((int) (index % NAMES)));
            }
        };
        double[] values = new double[runs];
        double[] limits = new double[runs];
        for (int run = 0; run < runs; run++) {
            Measurement[] measured = meter.measure(BenchPeer.PING_BYTES, caller::call, mkdir);
            limits[run] = measured[0].medianMicros();
            values[run] = measured[1].medianMicros();
        }
        String prefix = transport.name().toLowerCase(java.util.Locale.ROOT) + ": ";
        table.row(prefix + "mkdir over two servers", "us", values, limits, Goal.atMost(3.5));
        table.notAsked(
                prefix + "mkdir beside two-phase commit",
                "<= 0.65",
                "the baseline is no part of the product: tests/bench/commit");
    }

    /** Where a directory goes is a hash of its parent and name, so these stay what they are. */
    private List<byte[]> namesElsewhere() throws IOException {
        int home = map.homeOf(InodeNumber.shard(InodeNumber.ROOT));
        List<byte[]> names = new ArrayList<>();
        for (int i = 0; i < TRIES && names.size() < NAMES; i++) {
            byte[] name = ("mkdir." + i).getBytes(StandardCharsets.US_ASCII);
            client.mkdir(InodeNumber.ROOT, name, MODE, 0, 0, attributes);
            if (map.homeOf(InodeNumber.shard(attributes.ino())) != home) {
                names.add(name);
            }
            client.rmdir(InodeNumber.ROOT, name);
        }
        if (names.size() < NAMES) {
            throw new IOException("no directory of " + TRIES + " got another home than its parent");
        }
        return names;
    }

    @Override
    public void close() throws RpcException {
        client.close();
        caller.close();
    }
}
