package org.octofs.rpc.fabric.host;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Sleeping on a 32-bit word of memory that other processes share. Not the process-private kind.
 *
 * <p>Threading: any. The words are given as addresses, so whoever unmaps one wakes its sleepers first.
 */
public final class Futex {
    /** Bytes of the memory that {@link #sleep} needs for its time-out. */
    public static final long TIMEOUT_BYTES = 16;

    private static final int WAIT = 0;
    private static final int WAKE = 1;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long SYSCALL_NUMBER = syscallNumber();
    private static final MethodHandle SYSCALL = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("syscall"),
                    FunctionDescriptor.of(
                            JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                    Linker.Option.firstVariadicArg(1));

    private Futex() {}

    private static long syscallNumber() {
        String architecture = System.getProperty("os.arch");
        return switch (architecture) {
            case "amd64", "x86_64" -> 202;
            case "aarch64" -> 98;
            default -> throw new UnsupportedOperationException("no futex known for processor " + architecture);
        };
    }

    /**
     * Sleeps while the word has the expected value, at most for a time. Wakes up spuriously; look again.
     *
     * @param wordAddress aligned to 4 bytes
     * @param timeout {@link #TIMEOUT_BYTES} of native memory of the caller's, overwritten
     * @param nanos longest sleep
     */
    public static void sleep(long wordAddress, int expected, MemorySegment timeout, long nanos) {
        timeout.set(JAVA_LONG, 0, nanos / NANOS_PER_SECOND);
        timeout.set(JAVA_LONG, Long.BYTES, nanos % NANOS_PER_SECOND);
        try {
            long ignored = (long) SYSCALL.invokeExact(
                    SYSCALL_NUMBER, wordAddress, (long) WAIT, (long) expected, timeout.address(), 0L, 0L);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new LinkageError("futex wait", e);
        }
    }

    /** Wakes at most {@code count} sleepers of the word. */
    public static void wake(long wordAddress, int count) {
        try {
            long ignored =
                    (long) SYSCALL.invokeExact(SYSCALL_NUMBER, wordAddress, (long) WAKE, (long) count, 0L, 0L, 0L);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new LinkageError("futex wake", e);
        }
    }
}
