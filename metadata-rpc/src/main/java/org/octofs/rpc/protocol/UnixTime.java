package org.octofs.rpc.protocol;

/** Nanoseconds since 1970 as inodes have them: seconds, negative before 1970, and 0 to 999,999,999 nanoseconds behind them. */
public final class UnixTime {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private UnixTime() {}

    /** Whole seconds, rounded down. */
    public static long seconds(long nanosSince1970) {
        return Math.floorDiv(nanosSince1970, NANOS_PER_SECOND);
    }

    /** What is left behind {@link #seconds}. */
    public static int nanos(long nanosSince1970) {
        return (int) Math.floorMod(nanosSince1970, NANOS_PER_SECOND);
    }
}
