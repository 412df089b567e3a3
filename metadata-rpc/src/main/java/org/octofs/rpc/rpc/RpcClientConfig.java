package org.octofs.rpc.rpc;

import java.net.InetSocketAddress;
import org.octofs.rpc.fabric.ReceiveQueue;
import org.octofs.rpc.fabric.TransportChoice;

/**
 * How a client reaches one server. Immutable; start from {@link #of}.
 *
 * @param address where the server listens
 * @param clientId identity of this client, unique in the cluster; a process keeps it over reconnects
 * @param transport what to travel by
 * @param slotCount calls that can be outstanding, 1 to {@link RpcLimits#SLOTS_MAX}
 * @param hello what the server's user gets to see at each connect, at most {@link RpcLimits#HELLO_BYTES_MAX} bytes
 * @param firstRequestId positive; request ids count up from here. A process that comes back under an old client id has
 *     to start above all ids it has used, or the server takes its requests for old ones
 * @param connectTimeoutNanos for one attempt to connect
 * @param backoffNanosMin pause after the first failed attempt, doubled with each
 * @param backoffNanosMax longest pause
 * @param sharedQueue null: the client has its own queue, polled by whoever waits. Else the queue of a worker that polls
 *     it anyway (see {@link RpcServer#receiveQueue}); then nothing but that worker delivers replies, and {@code begin}
 *     never waits for a slot
 * @param connectsInPoll false: a thread of the client connects. True: {@link RpcClient#poll} does, and blocks meanwhile;
 *     for simulations, which have one thread and a network that connects at once
 */
@SuppressWarnings("ArrayRecordComponent") // compared and copied by nobody
public record RpcClientConfig(
        InetSocketAddress address,
        long clientId,
        TransportChoice transport,
        int slotCount,
        byte[] hello,
        long firstRequestId,
        long connectTimeoutNanos,
        long backoffNanosMin,
        long backoffNanosMax,
        ReceiveQueue sharedQueue,
        boolean connectsInPoll) {
    /** Checks the values and their relations. */
    public RpcClientConfig {
        if (slotCount < 1 || slotCount > RpcLimits.SLOTS_MAX) {
            throw new IllegalArgumentException("slotCount must be 1 to " + RpcLimits.SLOTS_MAX + ": " + slotCount);
        }
        if (hello.length > RpcLimits.HELLO_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "hello of " + hello.length + " bytes; at most " + RpcLimits.HELLO_BYTES_MAX + " are possible");
        }
        if (firstRequestId <= 0) {
            throw new IllegalArgumentException("firstRequestId must be positive: " + firstRequestId);
        }
        if (connectTimeoutNanos <= 0 || backoffNanosMin <= 0 || backoffNanosMax < backoffNanosMin) {
            throw new IllegalArgumentException("times must be positive, and backoffNanosMax not below backoffNanosMin");
        }
    }

    /** The usual configuration: 64 slots, 5 s per attempt, pauses of 10 ms to 1 s, an own queue. */
    public static RpcClientConfig of(InetSocketAddress address, long clientId) {
        return new RpcClientConfig(
                address,
                clientId,
                TransportChoice.AUTO,
                64,
                new byte[0],
                1,
                5_000_000_000L,
                10_000_000L,
                1_000_000_000L,
                null,
                false);
    }

    /** With a forced or free choice of the transport. */
    public RpcClientConfig withTransport(TransportChoice value) {
        return new RpcClientConfig(
                address,
                clientId,
                value,
                slotCount,
                hello,
                firstRequestId,
                connectTimeoutNanos,
                backoffNanosMin,
                backoffNanosMax,
                sharedQueue,
                connectsInPoll);
    }

    /** With another number of slots. */
    public RpcClientConfig withSlotCount(int value) {
        return new RpcClientConfig(
                address,
                clientId,
                transport,
                value,
                hello,
                firstRequestId,
                connectTimeoutNanos,
                backoffNanosMin,
                backoffNanosMax,
                sharedQueue,
                connectsInPoll);
    }

    /** With a hello for the server's user. */
    public RpcClientConfig withHello(byte[] value) {
        return new RpcClientConfig(
                address,
                clientId,
                transport,
                slotCount,
                value,
                firstRequestId,
                connectTimeoutNanos,
                backoffNanosMin,
                backoffNanosMax,
                sharedQueue,
                connectsInPoll);
    }

    /** With another first request id. */
    public RpcClientConfig withFirstRequestId(long value) {
        return new RpcClientConfig(
                address,
                clientId,
                transport,
                slotCount,
                hello,
                value,
                connectTimeoutNanos,
                backoffNanosMin,
                backoffNanosMax,
                sharedQueue,
                connectsInPoll);
    }

    /** Replies and failures are delivered by a worker that polls this queue anyway. */
    public RpcClientConfig withSharedQueue(ReceiveQueue value) {
        return new RpcClientConfig(
                address,
                clientId,
                transport,
                slotCount,
                hello,
                firstRequestId,
                connectTimeoutNanos,
                backoffNanosMin,
                backoffNanosMax,
                value,
                connectsInPoll);
    }

    /** For simulations. */
    public RpcClientConfig withConnectsInPoll(boolean value) {
        return new RpcClientConfig(
                address,
                clientId,
                transport,
                slotCount,
                hello,
                firstRequestId,
                connectTimeoutNanos,
                backoffNanosMin,
                backoffNanosMax,
                sharedQueue,
                value);
    }

    /** With other pauses between attempts to connect. */
    public RpcClientConfig withBackoff(long nanosMin, long nanosMax) {
        return new RpcClientConfig(
                address,
                clientId,
                transport,
                slotCount,
                hello,
                firstRequestId,
                connectTimeoutNanos,
                nanosMin,
                nanosMax,
                sharedQueue,
                connectsInPoll);
    }
}
