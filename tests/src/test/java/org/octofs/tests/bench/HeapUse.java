package org.octofs.tests.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** What calls take from the heap in the thread that makes them. */
final class HeapUse {
    private static final int STRETCHES = 40;
    private static final int STRETCH_CALLS = 1_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private HeapUse() {}

    /**
     * Bytes per call in steady state: the least of many stretches, since the code that the JVM makes last is the one that stays.
     * Rounded down: less than a byte per call is not the call's.
     */
    static long perCall(CostMeter.Call call) throws Exception {
        long least = Long.MAX_VALUE;
        for (int stretch = 0; stretch < STRETCHES; stretch++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < STRETCH_CALLS; i++) {
                call.run(i);
            }
            least = Math.min(least, (THREADS.getCurrentThreadAllocatedBytes() - before) / STRETCH_CALLS);
        }
        return least;
    }
}
