package org.octofs.server.txn;

/**
 * What a coordinator writes one-sidedly to release a participant's lock: 62 bits that only the transaction and the present
 * incarnation of the participant give, and the outcome in the lowest two.
 *
 * <p>A fingerprint, since transaction and incarnation do not fit one atomic word, and since a word that was meant for another
 * lock, or for an earlier life of the participant, must mean nothing here.
 */
public final class ReleaseWord {
    private static final long COMMITTED = 1;
    private static final long ABORTED = 2;

    private ReleaseWord() {}

    /** The images before this word are complete. */
    public static long committed(long txnId, int incarnation) {
        return fingerprint(txnId, incarnation) | COMMITTED;
    }

    /** There are no images: nothing happened. */
    public static long aborted(long txnId, int incarnation) {
        return fingerprint(txnId, incarnation) | ABORTED;
    }

    private static long fingerprint(long txnId, int incarnation) {
        // Two rounds of a bijective mix: distinct transactions of one incarnation differ before the cut to 62 bits.
        return mix(mix(txnId) ^ (incarnation + 0x9E3779B97F4A7C15L)) & ~3L;
    }

    private static long mix(long value) {
        long x = value;
        x = (x ^ (x >>> 30)) * 0xBF58476D1CE4E5B9L;
        x = (x ^ (x >>> 27)) * 0x94D049BB133111EBL;
        return x ^ (x >>> 31);
    }
}
