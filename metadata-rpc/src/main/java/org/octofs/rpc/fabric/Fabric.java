package org.octofs.rpc.fabric;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Set;

/**
 * This process's end of the network of one-sided memory; one per process (any number in simulation).
 *
 * <p>Threading: all methods from any thread. Ownership: owns its control thread, and everything made through it that is
 * still open when it is closed.
 */
public interface Fabric extends AutoCloseable {
    /** Most bytes of private data at connect and accept. */
    int PRIVATE_DATA_BYTES_MAX = 512;

    /**
     * Zeroed, page-aligned memory that every transport can reach.
     *
     * @param lengthBytes 1 to {@link MemoryRegion#LENGTH_BYTES_MAX}
     * @param access the most that will be granted of it
     * @throws FabricException RESOURCES when memory, descriptors or region indices ran out
     */
    MemoryRegion allocate(long lengthBytes, Set<Access> access) throws FabricException;

    /**
     * Exports memory that the caller has mapped.
     *
     * @param memory native memory of at most {@link MemoryRegion#LENGTH_BYTES_MAX} bytes, alive until the region is
     *     closed
     * @param file the file behind the mapping, so that shm peers can map it too; null: they cannot be granted it
     * @param fileOffset where the memory begins in the file, a multiple of 4096
     * @param access the most that will be granted of it
     * @throws FabricException RESOURCES when region indices ran out
     */
    MemoryRegion register(MemorySegment memory, Path file, long fileOffset, Set<Access> access) throws FabricException;

    /**
     * A queue for arrivals.
     *
     * @throws FabricException RESOURCES when memory or descriptors ran out
     */
    ReceiveQueue createReceiveQueue() throws FabricException;

    /**
     * Accepts connections at an address, over every transport that this process has.
     *
     * @param address port 0 picks one
     * @param queue arrivals of accepted connections, and the acceptor's calls, land here
     * @throws IOException if the address cannot be bound
     */
    Listener listen(InetSocketAddress address, ReceiveQueue queue, ConnectionAcceptor acceptor) throws IOException;

    /**
     * Connects. Blocks until the peer's worker has answered; so a thread that polls a queue to which others connect
     * must not call it, or two servers connecting to each other would wait for each other (until the deadline).
     *
     * @param privateData at most {@link #PRIVATE_DATA_BYTES_MAX} bytes for the peer's acceptor
     * @param queue where the connection's arrivals land
     * @param deadlineNanos on the fabric's clock
     * @throws FabricException with words for the user: UNREACHABLE, REFUSED, INCOMPATIBLE, NO_TRANSPORT, TIMEOUT, CLOSED
     */
    Connection connect(
            InetSocketAddress peer, TransportChoice choice, byte[] privateData, ReceiveQueue queue, long deadlineNanos)
            throws FabricException;

    /** The configuration. Its clock is the one that all deadlines are on. */
    FabricConfig config();

    /** Now, on the clock of all deadlines. */
    default long nanoTime() {
        return config().clock().getAsLong();
    }

    /** Closes listeners, connections, queues and regions, in this order. Idempotent. */
    @Override
    void close();
}
