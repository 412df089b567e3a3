package org.octofs.tests.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.octofs.client.client.AttributeChange;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.pmem.medium.MediumCounters;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.tests.crash.CommitComparison;
import org.octofs.tests.support.LocalCluster;

/**
 * Goal: nobody makes an operation dearer unawares. Method: count what the operations cost and compare all of it with the table in
 * {@code costs.txt}, which a change has to change on purpose. Until the answer: RPCs, one-sided READs and WRITEs of the client; fences,
 * flushed lines and bytes past the caches at the server; questions to the clock, each a system call on some machines. Operations over several servers are counted on the rig of the crash tests.
 */
class CostTableTest {
    private static final String TABLE = "/bench/costs.txt";
    private static final int BLOCK = 4096;
    private static final int MIB = 1 << 20;
    private static final int MODE = 0600;
    private static final int WRITABLE = OpenFlags.RDWR | OpenFlags.CREAT | OpenFlags.EXCL;

    private final List<String> lines = new ArrayList<>();
    private final Attributes attributes = new Attributes();
    private final CallersClock clock = new CallersClock();

    @Test
    void operationsCostWhatTheTableSays() throws Exception {
        lines.add("# one home: RPCs | READs | WRITEs | fences | flushed lines | bytes past the caches");
        // With a fabric of its own a client pushes past the caches, as it does in production; nothing late comes in
        // between.
        ClientConfig config = ClientConfig.builder()
                .transport(TransportChoice.SHM)
                .closeDelay(Duration.ofMinutes(1))
                .commitAfter(Duration.ofMinutes(1))
                .clock(clock)
                .build();
        try (LocalCluster cluster = LocalCluster.start(1, LocalCluster.Transport.SHM);
                FsClient client = FsClient.connect(cluster.map(), config);
                Arena arena = Arena.ofShared()) {
            MediumCounters medium =
                    cluster.server(0).server().state().store().medium().counters();
            CostMeter meter = new CostMeter(client, medium);
            MemorySegment buffer = arena.allocate(MIB, BLOCK);
            names(client, meter);
            data(client, meter, buffer);
            // Only what is promised to take none: for the rest it depends on what the JVM has compiled so far.
            lines.add("# heap of the calling thread, bytes per call in steady state");
            heap(client, buffer);
            lines.add("# questions of the calling thread to the clock, of what the client does alone");
            questions(client, buffer);
        }
        lines.add("# several homes: calls between servers | one-sided writes | fences until the answer | fences in all"
                + " | lines in all | us at 1 us a message");
        for (CommitComparison.Row row : CommitComparison.rows()) {
            lines.add(row.name() + ": " + CommitComparison.collectDispatch(row));
        }
        assertThat(lines).as("counted now, beside src/test/resources" + TABLE).isEqualTo(table());
    }

    private static List<String> table() throws IOException {
        try (InputStream in = CostTableTest.class.getResourceAsStream(TABLE)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    private static byte[] name(String base, int index) {
        return (base + index).getBytes(StandardCharsets.US_ASCII);
    }

    private void count(CostMeter meter, String what, CostMeter.Call call, CostMeter.Call undo) throws Exception {
        // Pages, slots and caches are there after the first calls.
        meter.cost(call, undo);
        lines.add(what + ": " + meter.cost(call, undo));
    }

    private void names(FsClient client, CostMeter meter) throws Exception {
        long root = InodeNumber.ROOT;
        OpenFile[] made = new OpenFile[1];
        count(
                meter,
                "create",
                i -> made[0] = client.create(root, name("c", i), MODE, 0, 0, WRITABLE, attributes),
                i -> {
                    client.release(made[0]);
                    client.unlink(root, name("c", i));
                });
        CostMeter.Call make = i -> client.mknod(root, name("n", i), MODE, 0, 0, 0, attributes);
        count(meter, "mknod", make, i -> client.unlink(root, name("n", i)));
        for (int i = 0; i < 9; i++) {
            make.run(i);
        }
        count(meter, "lookup, known", i -> client.lookup(root, name("n", i), attributes), CostMeter.Call.NOTHING);
        long ino = attributes.ino();
        count(meter, "getattr, known", _ -> client.getAttributes(ino, attributes), CostMeter.Call.NOTHING);
        count(
                meter,
                "chmod",
                i -> client.setAttributes(ino, new AttributeChange().mode(MODE + i % 2), attributes),
                CostMeter.Call.NOTHING);
        count(
                meter,
                "rename in a directory",
                i -> client.rename(root, name("n", i), root, name("m", i), 0),
                i -> client.rename(root, name("m", i), root, name("n", i), 0));
        count(
                meter,
                "link",
                i -> client.link(ino, root, name("l", i), attributes),
                i -> client.unlink(root, name("l", i)));
        count(meter, "unlink", i -> client.unlink(root, name("n", i)), make);
        CostMeter.Call mkdir = i -> client.mkdir(root, name("d", i), MODE, 0, 0, attributes);
        CostMeter.Call rmdir = i -> client.rmdir(root, name("d", i));
        count(meter, "mkdir, one server", mkdir, rmdir);
        for (int i = 0; i < 9; i++) {
            mkdir.run(i);
        }
        count(meter, "rmdir, one server", rmdir, mkdir);
    }

    private void data(FsClient client, CostMeter meter, MemorySegment buffer) throws Exception {
        OpenFile file = client.create(InodeNumber.ROOT, name("data", 0), MODE, 0, 0, WRITABLE, attributes);
        for (int i = 0; i < 16; i++) {
            client.write(file, (long) i * MIB, buffer, 0, MIB);
        }
        client.fsync(file, true);
        count(meter, "open", i -> client.release(client.open(file.ino(), OpenFlags.RDONLY)), CostMeter.Call.NOTHING);
        count(meter, "4 KiB read", i -> client.read(file, 20L * i * BLOCK, buffer, 0, BLOCK), CostMeter.Call.NOTHING);
        count(meter, "1 MiB read", i -> client.read(file, (long) i * MIB, buffer, 0, MIB), CostMeter.Call.NOTHING);
        count(
                meter,
                "4 KiB write, not committed",
                i -> client.write(file, 20L * i * BLOCK, buffer, 0, BLOCK),
                _ -> client.fsync(file, true));
        count(
                meter,
                "4 KiB write and fsync",
                i -> {
                    client.write(file, 20L * i * BLOCK, buffer, 0, BLOCK);
                    client.fsync(file, true);
                },
                CostMeter.Call.NOTHING);
        count(
                meter,
                "1 MiB write and fsync",
                i -> {
                    client.write(file, (long) i * MIB, buffer, 0, MIB);
                    client.fsync(file, true);
                },
                CostMeter.Call.NOTHING);
        OpenFile copy = client.create(InodeNumber.ROOT, name("copy", 0), MODE, 0, 0, WRITABLE, attributes);
        count(
                meter,
                "copy of 1 MiB",
                i -> client.copy(file, (long) i * MIB, copy, (long) i * MIB, MIB),
                _ -> client.fsync(copy, true));
        client.release(copy);
        client.release(file);
    }

    private void questions(FsClient client, MemorySegment buffer) throws Exception {
        OpenFile file = client.create(InodeNumber.ROOT, name("clock", 0), MODE, 0, 0, WRITABLE, attributes);
        client.write(file, 0, buffer, 0, MIB);
        client.fsync(file, true);
        asked("getattr, known", _ -> client.getAttributes(file.ino(), attributes));
        asked("4 KiB read", _ -> client.read(file, 0, buffer, 0, BLOCK));
        asked("1 MiB read", _ -> client.read(file, 0, buffer, 0, MIB));
        asked("4 KiB write, not committed", _ -> client.write(file, 0, buffer, 0, BLOCK));
        client.release(file);
    }

    private void asked(String what, CostMeter.Call call) throws Exception {
        for (int i = 0; i < 2; i++) {
            call.run(i);
        }
        long before = clock.questions();
        call.run(0);
        lines.add(what + ": " + (clock.questions() - before));
    }

    private void heap(FsClient client, MemorySegment buffer) throws Exception {
        OpenFile file = client.create(InodeNumber.ROOT, name("heap", 0), MODE, 0, 0, WRITABLE, attributes);
        client.write(file, 0, buffer, 0, MIB);
        client.fsync(file, true);
        lines.add("4 KiB read: " + HeapUse.perCall(i -> client.read(file, (i & 255L) * BLOCK, buffer, 0, BLOCK)));
        lines.add("4 KiB write: " + HeapUse.perCall(i -> client.write(file, (i & 255L) * BLOCK, buffer, 0, BLOCK)));
        client.release(file);
    }
}
