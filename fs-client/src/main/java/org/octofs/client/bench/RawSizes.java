package org.octofs.client.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.octofs.client.bench.Meter.Measurement;
import org.octofs.client.link.PmemMemcpy;
import org.octofs.rpc.fabric.TransportChoice;

/** The limits by size: one-sided READ and WRITE, and the ways to copy memory. One caller. */
final class RawSizes {
    private static final int PAGE_BYTES = 4096;
    private static final int LARGEST = 16 << 20;
    private static final int[] SIZES = {
        64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, LARGEST
    };
    private static final int COPY_BYTES = 64 << 20;

    private RawSizes() {}

    static void run(Report report, Meter meter, InetSocketAddress peer, TransportChoice transport) throws Exception {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment local = arena.allocate(LARGEST, PAGE_BYTES);
            MemorySegment target = arena.allocate(COPY_BYTES, PAGE_BYTES);
            target.fill((byte) 7);
            try (RawLimits raw = new RawLimits(peer, transport, local)) {
                for (int size : SIZES) {
                    List<String> names = new ArrayList<>(List.of("READ", "WRITE"));
                    List<Meter.Operation> operations = new ArrayList<>();
                    operations.add(i -> raw.read(i, size, false));
                    operations.add(i -> raw.write(i, size, false));
                    for (MemoryCopy copy : MemoryCopy.values()) {
                        if (copy == MemoryCopy.PLAIN || PmemMemcpy.isThere()) {
                            names.add(copy.words());
                            operations.add(i -> copy.run(local, 0, target, i % (COPY_BYTES / size) * size, size));
                        }
                    }
                    Measurement[] measured = meter.measure(size, operations.toArray(Meter.Operation[]::new));
                    for (int i = 0; i < measured.length; i++) {
                        report.add(new Row(names.get(i))
                                .with(Row.BYTES, size)
                                .with(Row.MEGABYTES, measured[i].megabytesPerSecond())
                                .latency(measured[i].nanos()));
                    }
                }
            }
        }
    }
}
