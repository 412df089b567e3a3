package org.octofs.tests.linearizability;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** CLOCK_MONOTONIC: one for all processes of a machine, which {@code System.nanoTime} does not promise to be. Confined to a thread. */
final class MonotonicClock {
    private static final int CLOCK_MONOTONIC = 1;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final MethodHandle getTime = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("clock_gettime"),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
    private final MemorySegment time = Arena.ofAuto().allocate(2 * Long.BYTES, Long.BYTES);

    long nanos() {
        try {
            int failed = (int) getTime.invokeExact(CLOCK_MONOTONIC, time);
            if (failed != 0) {
                throw new IllegalStateException("no monotonic clock");
            }
        } catch (Throwable e) {
            throw new IllegalStateException("no monotonic clock", e);
        }
        return time.get(ValueLayout.JAVA_LONG, 0) * NANOS_PER_SECOND + time.get(ValueLayout.JAVA_LONG, Long.BYTES);
    }
}
