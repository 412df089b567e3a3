package org.octofs.client.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.FsClient;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.fabric.TransportChoice;

/**
 * Rows of {@code bench paper} about one copy more: the client library moves bytes between a pool and the caller's memory, and here
 * also to and from memory beside it, as with a buffer for messages or a page cache. One file and one thread for each caller.
 */
final class CopyRows implements AutoCloseable {
    private static final int ALL_FILES_BYTES = 256 << 20;
    private static final int BUFFER_BYTES = 1 << 20;
    private static final int PAGE_BYTES = 4096;

    private final Report report;
    private final String prefix;
    private final int callers;
    private final long nanos;
    private final Crew crew;
    private final Arena arena = Arena.ofShared();
    private final FsClient client;
    private final List<IoCaller> files = new ArrayList<>();
    private final List<MemorySegment> buffers = new ArrayList<>();
    private final List<MemorySegment> beside = new ArrayList<>();

    CopyRows(Report report, String prefix, ClusterMap map, TransportChoice transport, int callers, long nanos)
            throws IOException {
        this.report = report;
        this.prefix = prefix;
        this.callers = callers;
        this.nanos = nanos;
        crew = new Crew(callers, System::nanoTime);
        client = FsClient.connect(
                map,
                ClientConfig.builder().name("bench copies").transport(transport).build());
        boolean complete = false;
        try {
            for (int i = 0; i < callers; i++) {
                buffers.add(arena.allocate(BUFFER_BYTES, PAGE_BYTES));
                beside.add(arena.allocate(BUFFER_BYTES, PAGE_BYTES).fill((byte) 4));
                files.add(new IoCaller(client, i, ALL_FILES_BYTES / callers, buffers.get(i)));
            }
            complete = true;
        } finally {
            if (!complete) {
                close();
            }
        }
    }

    void run(int bytes) throws Exception {
        List<Crew.Work> reads = new ArrayList<>();
        List<Crew.Work> copiedReads = new ArrayList<>();
        List<Crew.Work> writes = new ArrayList<>();
        List<Crew.Work> copiedWrites = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            IoCaller file = files.get(i);
            MemorySegment buffer = buffers.get(i);
            MemorySegment other = beside.get(i);
            reads.add(index -> file.read(index, bytes, false));
            copiedReads.add(index -> {
                file.read(index, bytes, false);
                MemorySegment.copy(buffer, 0, other, 0, bytes);
            });
            writes.add(synced(file, index -> file.write(index, bytes, false)));
            copiedWrites.add(synced(file, index -> {
                MemorySegment.copy(other, 0, buffer, 0, bytes);
                file.write(index, bytes, false);
            }));
        }
        compare("read", bytes, reads, copiedReads);
        compare("write", bytes, writes, copiedWrites);
    }

    private static Crew.Work synced(IoCaller file, Crew.Work work) {
        return new Crew.Work() {
            @Override
            public void run(long index) throws Exception {
                work.run(index);
            }

            @Override
            public void finish() throws IOException {
                file.sync();
            }
        };
    }

    private void compare(String name, int bytes, List<Crew.Work> without, List<Crew.Work> with) throws Exception {
        List<Crew.Result> results = crew.measure(BenchOptions.warmUpNanos(nanos), nanos, without, with);
        String[] names = {", no copy more", ", one copy more"};
        for (int i = 0; i < names.length; i++) {
            Crew.Result result = results.get(i);
            report.add(new Row(prefix + name + names[i])
                    .with(Row.BYTES, bytes)
                    .with(Row.CALLERS, callers)
                    .with(Row.MEGABYTES, result.megabytesPerSecond(bytes))
                    .with(
                            "of no copy more",
                            result.perSecond() / results.getFirst().perSecond())
                    .latency(result.nanos()));
        }
    }

    @Override
    public void close() throws IOException {
        crew.close();
        try {
            for (IoCaller file : files) {
                file.close();
            }
        } finally {
            client.close();
            arena.close();
        }
    }
}
