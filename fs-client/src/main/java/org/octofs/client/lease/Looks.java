package org.octofs.client.lease;

/**
 * Who was looked at a moment ago: a lease costs a call, so it is asked for at the second look. Forgets when places are needed.
 * Guarded by the lock of its {@link HomeLeases}.
 */
final class Looks {
    private static final int PLACES = 4096;
    private static final long MEMORY_NANOS = 3_000_000_000L;

    private final long[] keys = new long[PLACES];
    private final long[] nanos = new long[PLACES];

    /** Notes a look; true if there was one shortly before, and nothing speaks against asking. */
    boolean again(long key, long now) {
        int place = place(key);
        long last = nanos[place];
        boolean known = keys[place] == key;
        if (known && last - now > 0) {
            return false;
        }
        keys[place] = key;
        nanos[place] = now;
        return known && now - last < MEMORY_NANOS;
    }

    /** It is not to be asked for before then. */
    void notBefore(long key, long untilNanos) {
        int place = place(key);
        keys[place] = key;
        nanos[place] = untilNanos;
    }

    private static int place(long key) {
        return (int) ((key * 0x9E37_79B9_7F4A_7C15L) >>> 40) & (PLACES - 1);
    }
}
