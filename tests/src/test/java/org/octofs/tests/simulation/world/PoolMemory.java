package org.octofs.tests.simulation.world;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.locks.LockSupport;

/**
 * Native memory of earlier runs. It is given back by the collector only; a run that meets the limit would wait for that, and how long
 * is for no seed to say.
 */
final class PoolMemory {
    private static final long GARBAGE_BYTES_MAX = 256L << 20;
    private static final long PAUSE_NANOS = 1_000_000;
    private static final int PAUSES = 200;

    private PoolMemory() {}

    /** Collects what earlier runs have left, if it is much. */
    static void tidy() {
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            if (pool.getName().equals("direct") && pool.getMemoryUsed() > GARBAGE_BYTES_MAX) {
                System.gc();
                for (int i = 0; i < PAUSES && pool.getMemoryUsed() > GARBAGE_BYTES_MAX; i++) {
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            }
        }
    }
}
