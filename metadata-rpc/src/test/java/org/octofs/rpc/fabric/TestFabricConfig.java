package org.octofs.rpc.fabric;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/** Configurations for tests: real clock, seeded random numbers, daemon threads with a telling name. */
public final class TestFabricConfig {
    /** Prefix of the names of all threads that a test's fabric makes. */
    public static final String THREAD_PREFIX = "test-fabric-";

    private static final AtomicLong SEED = new AtomicLong(0x0C70F5);
    private static final AtomicLong THREADS = new AtomicLong();

    private TestFabricConfig() {}

    /** A configuration with short patience. */
    public static FabricConfig named(String name) {
        // Two fabrics of a test must not have equal tokens, so each gets its own seed.
        SplittableRandom random = new SplittableRandom(
                SEED.incrementAndGet() ^ ProcessHandle.current().pid() << 32);
        return FabricConfig.defaults(name, System::nanoTime, random::nextLong, task -> {
                    Thread thread = new Thread(task, THREAD_PREFIX + THREADS.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                })
                .withReceiveQueue(1 << 12, 2_000_000_000L);
    }
}
