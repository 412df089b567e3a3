package org.octofs.client.bench;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.octofs.client.bench.BenchOptions.BenchCluster;
import org.octofs.client.bench.Table.Goal;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.FsClient;
import org.octofs.client.dev.TemporaryCluster;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.TransportConverter;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.protocol.InodeNumber;

/** Rows of the table about very many files: memory of the server, and its restart. One thread. */
final class FileRows {
    private static final int FILES_PER_DIRECTORY = 5_000;
    private static final int MODE = 0100600;
    private static final int DIRECTORY_MODE = 0700;
    private static final long PIECE_BYTES = 64L << 20;

    /** An eighth of a pool is for metadata, of which a file takes about 400 bytes. */
    private static final long POOL_BYTES_PER_FILE = 4096;

    private static final long POOL_BYTES_MIN = 1L << 30;
    private static final int DRAM_BYTES_MAX = 300;
    private static final int PM_BYTES_MAX = 512;

    private final Table table;
    private final BenchOptions options;
    private final int files;
    private final int runs;
    /** Where sums go, so that the reading is done. */
    private final AtomicLong sink = new AtomicLong();

    FileRows(Table table, BenchOptions options, int files, int runs) {
        this.table = table;
        this.options = options;
        this.files = files;
        this.runs = runs;
    }

    void run(TransportChoice transport) throws Exception {
        long poolBytes = Math.max(POOL_BYTES_MIN, files * POOL_BYTES_PER_FILE);
        String by = TransportConverter.name(transport);
        try (BenchCluster cluster = options.open(1, (poolBytes >> 20) + "M", transport)) {
            TemporaryCluster servers = cluster.temporary();
            double[] empty = new double[runs];
            for (int run = 0; run < runs; run++) {
                empty[run] = restart(servers, by);
            }
            long heapBefore = liveHeapBytes(servers.pid(0));
            long metadataBefore = metadataBytes(cluster.map(), transport);
            fill(cluster.map(), transport);
            long metadata = metadataBytes(cluster.map(), transport);
            double heap = liveHeapBytes(servers.pid(0)) - heapBefore;
            table.row(
                    "server memory, " + files + " files: DRAM per file",
                    "B",
                    new double[] {heap / files},
                    new double[] {DRAM_BYTES_MAX},
                    Goal.atMost(1));
            table.row(
                    "server memory, " + files + " files: PM per file",
                    "B",
                    new double[] {(metadata - metadataBefore) / (double) files},
                    new double[] {PM_BYTES_MAX},
                    Goal.atMost(1));
            double[] values = new double[runs];
            double[] limits = new double[runs];
            for (int run = 0; run < runs; run++) {
                // What a process with nothing to recover takes is not of the files.
                values[run] = restart(servers, by) - Table.median(empty);
                limits[run] = readOnce(cluster.map().node(0).pool(), metadata);
            }
            table.row("restart with " + files + " files", "ms", values, limits, Goal.atMost(3));
        }
    }

    private static double restart(TemporaryCluster servers, String transport) throws IOException {
        servers.stop();
        long start = System.nanoTime();
        servers.start(transport);
        return (System.nanoTime() - start) / 1e6;
    }

    /** Milliseconds to read as many bytes of the pool as its metadata has, from pages that are mapped already. */
    private double readOnce(Path pool, long bytes) throws IOException {
        double millis = 0;
        try (FileChannel channel = FileChannel.open(pool)) {
            for (int pass = 0; pass < 2; pass++) {
                long start = System.nanoTime();
                long sum = 0;
                for (long at = 0; at < bytes; at += PIECE_BYTES) {
                    LongBuffer longs = channel.map(FileChannel.MapMode.READ_ONLY, at, Math.min(PIECE_BYTES, bytes - at))
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .asLongBuffer();
                    for (int i = 0; i < longs.limit(); i++) {
                        sum += longs.get(i);
                    }
                }
                sink.addAndGet(sum);
                millis = (System.nanoTime() - start) / 1e6;
            }
        }
        return millis;
    }

    private void fill(ClusterMap map, TransportChoice transport) throws IOException {
        Attributes attributes = new Attributes();
        try (FsClient client = FsClient.connect(
                map,
                ClientConfig.builder().name("bench files").transport(transport).build())) {
            long directory = 0;
            for (int i = 0; i < files; i++) {
                if (i % FILES_PER_DIRECTORY == 0) {
                    client.mkdir(InodeNumber.ROOT, name("directory-", i), DIRECTORY_MODE, 0, 0, attributes);
                    directory = attributes.ino();
                }
                client.mknod(directory, name("some-file-name-", i), MODE, 0, 0, 0, attributes);
            }
        }
    }

    private static byte[] name(String base, int number) {
        return (base + number).getBytes(StandardCharsets.US_ASCII);
    }

    private static long metadataBytes(ClusterMap map, TransportChoice transport) throws Exception {
        try (NullCaller caller = new NullCaller(map, transport)) {
            return caller.counts().metadataBytes();
        }
    }

    /** After a collection; the JDK's own tool asks the process for it. */
    private static long liveHeapBytes(long pid) throws IOException, InterruptedException {
        Path tool = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        Process process = new ProcessBuilder(tool.toString(), Long.toString(pid), "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output.lines()
                .filter(line -> line.startsWith("Total"))
                .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
                .findFirst()
                .orElseThrow(() -> new IOException("jcmd did not tell the size of the server's heap: " + output));
    }
}
