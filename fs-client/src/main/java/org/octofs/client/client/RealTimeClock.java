package org.octofs.client.client;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.function.LongSupplier;

/**
 * The machine's CLOCK_REALTIME, nanoseconds since 1970: what {@link java.time.Instant#now()} reads, so that stamps of clients and
 * of servers of one machine are of one order; but allocates nothing, whatever the compiler makes of it.
 *
 * <p>Thread-safe. Limits: good until 2262.
 */
public final class RealTimeClock implements LongSupplier {
    private static final int CLOCK_REALTIME = 0;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    // struct timespec, on machines of 64 bits.
    private static final int SECONDS_OFFSET = 0;
    private static final int NANOS_OFFSET = SECONDS_OFFSET + Long.BYTES;
    private static final int TIMESPEC_BYTES = NANOS_OFFSET + Long.BYTES;

    /** In a constant: only then is a call as cheap as one in C. */
    private static final MethodHandle CLOCK_GETTIME = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("clock_gettime"),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG),
                    Linker.Option.critical(false));

    private static final ThreadLocal<MemorySegment> TIMESPEC =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(TIMESPEC_BYTES, Long.BYTES));

    @Override
    public long getAsLong() {
        MemorySegment timespec = TIMESPEC.get();
        int status;
        try {
            status = (int) CLOCK_GETTIME.invokeExact(CLOCK_REALTIME, timespec.address());
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("clock_gettime failed", e);
        }
        if (status != 0) {
            throw new IllegalStateException("clock_gettime answered " + status);
        }
        return timespec.get(ValueLayout.JAVA_LONG, SECONDS_OFFSET) * NANOS_PER_SECOND
                + timespec.get(ValueLayout.JAVA_LONG, NANOS_OFFSET);
    }
}
