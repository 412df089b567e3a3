package org.octofs.client.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.FsClient;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.rpc.RpcException;

/** Rows of {@code bench io} for one number of callers: one client, a file and a raw connection for each caller. */
final class IoSuite implements AutoCloseable {
    private static final int ALL_FILES_BYTES = 256 << 20;
    private static final int BUFFER_BYTES = 1 << 20;
    private static final int PAGE_BYTES = 4096;
    private static final int SMALL = 4096;

    private final Report report;
    private final int callers;
    private final long nanos;
    private final Crew crew;
    private final Arena arena = Arena.ofShared();
    private final FsClient client;
    private final List<IoCaller> files = new ArrayList<>();
    private final List<RawLimits> raws = new ArrayList<>();
    private final List<NullCaller> nulls = new ArrayList<>();
    private final FlushCost flush = new FlushCost();

    IoSuite(Report report, ClusterMap map, TransportChoice transport, InetSocketAddress peer, int callers, long nanos)
            throws Exception {
        this.report = report;
        this.callers = callers;
        this.nanos = nanos;
        crew = new Crew(callers, System::nanoTime);
        client = FsClient.connect(
                map,
                ClientConfig.builder().name("bench io").transport(transport).build());
        boolean complete = false;
        try {
            for (int i = 0; i < callers; i++) {
                MemorySegment buffer = arena.allocate(BUFFER_BYTES, PAGE_BYTES);
                raws.add(new RawLimits(peer, transport, buffer));
                nulls.add(new NullCaller(map, transport));
                files.add(new IoCaller(client, i, ALL_FILES_BYTES / callers, buffer));
            }
            complete = true;
        } finally {
            if (!complete) {
                close();
            }
        }
    }

    /** Sequential and random reads and writes of one size. */
    void streams(int bytes) throws Exception {
        for (boolean randomly : new boolean[] {false, true}) {
            String order = randomly ? "random " : "sequential ";
            compare(
                    order + "read",
                    bytes,
                    work(f -> i -> f.read(i, bytes, randomly)),
                    raw(r -> i -> r.read(i, bytes, randomly)));
            compare(order + "write", bytes, writes(bytes, randomly), raw(r -> i -> r.write(i, bytes, randomly)));
        }
    }

    /** Durable writes and small files. */
    void small() throws Exception {
        List<Crew.Work> durable = new ArrayList<>();
        List<Crew.Work> calls = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            RawLimits raw = raws.get(i);
            NullCaller caller = nulls.get(i);
            durable.add(index -> {
                raw.write(index, SMALL, true);
                caller.call(index);
                flush.run(index);
            });
            calls.add(caller::call);
        }
        compare("durable write", SMALL, work(f -> i -> f.durableWrite(i, SMALL)), durable);
        compare("create, write, close", SMALL, work(f -> f::createSmallFile), durable);
        compare("open, read, close", SMALL, work(f -> f::readSmallFile), calls);
        for (IoCaller file : files) {
            file.removeSmallFiles();
        }
    }

    private interface Maker<T> {
        Crew.Work make(T caller);
    }

    private List<Crew.Work> work(Maker<IoCaller> maker) {
        return files.stream().map(maker::make).toList();
    }

    private List<Crew.Work> raw(Maker<RawLimits> maker) {
        return raws.stream().map(maker::make).toList();
    }

    private List<Crew.Work> writes(int bytes, boolean randomly) {
        return work(file -> new Crew.Work() {
            @Override
            public void run(long index) throws IOException {
                file.write(index, bytes, randomly);
            }

            @Override
            public void finish() throws IOException {
                file.sync();
            }
        });
    }

    private void compare(String name, int bytes, List<Crew.Work> ours, List<Crew.Work> limit) throws Exception {
        List<Crew.Result> results = crew.measure(BenchOptions.warmUpNanos(nanos), nanos, limit, ours);
        Crew.Result raw = results.get(0);
        Crew.Result own = results.get(1);
        report.add(new Row(name)
                .with(Row.BYTES, bytes)
                .with(Row.CALLERS, callers)
                .with(Row.MEGABYTES, own.megabytesPerSecond(bytes))
                .with("limit", raw.megabytesPerSecond(bytes))
                .with("of limit", own.perSecond() / raw.perSecond())
                .with(Row.RATE, own.perSecond())
                .latency(own.nanos())
                .with("limit p50", raw.nanos().getValueAtPercentile(50) / 1e3));
    }

    @Override
    public void close() throws IOException, RpcException {
        crew.close();
        try {
            for (IoCaller file : files) {
                file.close();
            }
        } finally {
            client.close();
            raws.forEach(RawLimits::close);
            for (NullCaller caller : nulls) {
                caller.close();
            }
            flush.close();
            arena.close();
        }
    }
}
