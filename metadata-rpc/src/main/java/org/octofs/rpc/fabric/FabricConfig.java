package org.octofs.rpc.fabric;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;

/**
 * Everything a fabric is told. Immutable; start from {@link #defaults}.
 *
 * @param name this process in the messages of its peers, such as "server 1" or "mount /mnt"; at most 64 bytes
 * @param transports the transports that may be used
 * @param spinNanos how long a waiting thread spins before it parks; 0 parks at once
 * @param receiveQueueEntries arrivals that a receive queue holds, a power of two up to 2^20
 * @param receiverNotReadyNanos how long a sender waits at a full receive queue that does not move, before it fails
 * @param handshakeNanos how long a peer may take for its part of the handshake
 * @param peerTimeoutNanos within which a dead or unreachable host must be noticed (tcp keep-alive)
 * @param bulkThresholdBytes WRITEs of at least this length go through the bulk copier
 * @param bulkCopier how shm copies large WRITEs from native memory; null for the ordinary copy
 * @param clock nanoseconds, the clock of all deadlines
 * @param random source of tokens and first generations
 * @param threads makes the fabric's threads
 */
public record FabricConfig(
        String name,
        Set<TransportKind> transports,
        long spinNanos,
        int receiveQueueEntries,
        long receiverNotReadyNanos,
        long handshakeNanos,
        long peerTimeoutNanos,
        int bulkThresholdBytes,
        BulkCopier bulkCopier,
        LongSupplier clock,
        LongSupplier random,
        ThreadFactory threads) {
    /** Largest receive queue. */
    public static final int RECEIVE_QUEUE_ENTRIES_MAX = 1 << 20;

    private static final long SPIN_NANOS = 20_000;

    /** Checks the values and their relations. */
    public FabricConfig {
        transports = transports.isEmpty() ? EnumSet.noneOf(TransportKind.class) : EnumSet.copyOf(transports);
        if (name.isBlank() || name.length() > 64) {
            throw new IllegalArgumentException("fabric name must have 1 to 64 characters: '" + name + "'");
        }
        if (spinNanos < 0 || receiverNotReadyNanos < 0 || handshakeNanos <= 0 || peerTimeoutNanos <= 0) {
            throw new IllegalArgumentException("fabric times must not be negative");
        }
        if (Integer.bitCount(receiveQueueEntries) != 1
                || receiveQueueEntries < 8
                || receiveQueueEntries > RECEIVE_QUEUE_ENTRIES_MAX) {
            throw new IllegalArgumentException("receiveQueueEntries must be a power of two from 8 to "
                    + RECEIVE_QUEUE_ENTRIES_MAX + ": " + receiveQueueEntries);
        }
        if (bulkThresholdBytes < 1) {
            throw new IllegalArgumentException("bulkThresholdBytes must be positive: " + bulkThresholdBytes);
        }
    }

    /**
     * The usual configuration. On a single processor nobody spins: whom a thread waits for, if only the kernel that hears of it, needs
     * that processor.
     *
     * @param name this process in the messages of its peers
     * @param clock nanoseconds; in production {@code System::nanoTime}
     * @param random in production {@code new SecureRandom()::nextLong}
     * @param threads in production a factory of daemon threads
     */
    public static FabricConfig defaults(String name, LongSupplier clock, LongSupplier random, ThreadFactory threads) {
        return new FabricConfig(
                name,
                EnumSet.of(TransportKind.SHM, TransportKind.TCP, TransportKind.VERBS),
                spinNanos(Runtime.getRuntime().availableProcessors()),
                1 << 16,
                2_000_000_000L,
                5_000_000_000L,
                10_000_000_000L,
                64 * 1024,
                null,
                clock,
                random,
                threads);
    }

    static long spinNanos(int processors) {
        return processors == 1 ? 0 : SPIN_NANOS;
    }

    /** With other transports. */
    public FabricConfig withTransports(Set<TransportKind> value) {
        return new FabricConfig(
                name,
                value,
                spinNanos,
                receiveQueueEntries,
                receiverNotReadyNanos,
                handshakeNanos,
                peerTimeoutNanos,
                bulkThresholdBytes,
                bulkCopier,
                clock,
                random,
                threads);
    }

    /** With another time to spin. */
    public FabricConfig withSpinNanos(long value) {
        return new FabricConfig(
                name,
                transports,
                value,
                receiveQueueEntries,
                receiverNotReadyNanos,
                handshakeNanos,
                peerTimeoutNanos,
                bulkThresholdBytes,
                bulkCopier,
                clock,
                random,
                threads);
    }

    /** With other receive queues: their length, and the patience of senders at a full one. */
    public FabricConfig withReceiveQueue(int entries, long notReadyNanos) {
        return new FabricConfig(
                name,
                transports,
                spinNanos,
                entries,
                notReadyNanos,
                handshakeNanos,
                peerTimeoutNanos,
                bulkThresholdBytes,
                bulkCopier,
                clock,
                random,
                threads);
    }

    /** With other patience: for the handshake, and for a silent host. */
    public FabricConfig withPatience(long newHandshakeNanos, long newPeerTimeoutNanos) {
        return new FabricConfig(
                name,
                transports,
                spinNanos,
                receiveQueueEntries,
                receiverNotReadyNanos,
                newHandshakeNanos,
                newPeerTimeoutNanos,
                bulkThresholdBytes,
                bulkCopier,
                clock,
                random,
                threads);
    }

    /** With a bulk copier for WRITEs of at least {@code thresholdBytes}. */
    public FabricConfig withBulkCopier(BulkCopier copier, int thresholdBytes) {
        return new FabricConfig(
                name,
                transports,
                spinNanos,
                receiveQueueEntries,
                receiverNotReadyNanos,
                handshakeNanos,
                peerTimeoutNanos,
                thresholdBytes,
                copier,
                clock,
                random,
                threads);
    }
}
