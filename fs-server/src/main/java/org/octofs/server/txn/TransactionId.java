package org.octofs.server.txn;

/**
 * Identity of a transaction, and the word that owns a lock: {node:16 | incarnation:16 | number:32}. The number counts per life
 * of a coordinator, so that no transaction of an earlier life is ever taken for one of this one.
 */
public final class TransactionId {
    private TransactionId() {}

    /** An id; {@code incarnation} and {@code number} are cut to their low bits. */
    public static long of(int node, long incarnation, long number) {
        return ((long) node << 48) | (incarnation & 0xFFFF) << 32 | (number & 0xFFFF_FFFFL);
    }

    /** Node of the coordinator. */
    public static int node(long txnId) {
        return (int) (txnId >>> 48);
    }

    /** Low 16 bits of the coordinator's incarnation. */
    public static int incarnation(long txnId) {
        return (int) (txnId >>> 32) & 0xFFFF;
    }

    /** For messages: node.incarnation.number. */
    public static String toString(long txnId) {
        return node(txnId) + "." + incarnation(txnId) + "." + (txnId & 0xFFFF_FFFFL);
    }
}
