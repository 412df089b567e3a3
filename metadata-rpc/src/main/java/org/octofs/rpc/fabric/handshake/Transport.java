package org.octofs.rpc.fabric.handshake;

import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.host.ProcessIdentity;
import org.octofs.rpc.fabric.transport.ArrivalQueue;
import org.octofs.rpc.fabric.transport.ExportedRegion;

/**
 * A transport of one fabric.
 *
 * <p>A connection comes about so. Connecting side: {@link #offer} makes a pending connection whose parameters go into
 * HELLO; the ACCEPT's parameters go to {@link PendingConnection#complete}; the connection is opened;
 * {@link PendingConnection#adopt} hands it the socket. Accepting side: {@link #consider} makes a pending connection from
 * the HELLO's parameters, whose own parameters go into ACCEPT; the user's acceptor decides; the connection is opened and
 * shown to the acceptor, who may grant and post already; ACCEPT is sent; the socket is adopted. What is granted or posted
 * before the adoption waits for it.
 *
 * <p>Threading: any; {@link #consider} runs on the control thread and must not block.
 */
public interface Transport extends AutoCloseable {
    /** Most bytes that one half of a transport can tell its other half in the handshake. */
    int PARAMETERS_BYTES_MAX = 1024;

    /** Begins a connection from this side. */
    PendingConnection offer(ArrivalQueue queue) throws FabricException;

    /**
     * Begins a connection that the other side offers.
     *
     * @throws FabricException when it cannot work between these two processes; the message says why, and the next offer
     *     is tried
     */
    PendingConnection consider(ProcessIdentity peer, byte[] parameters, ArrivalQueue queue) throws FabricException;

    /**
     * A region of the caller's memory has been exported; a card wants to know its memory beforehand.
     *
     * @throws FabricException in words when this transport cannot reach it; connections are refused from then on
     */
    default void registered(ExportedRegion region) throws FabricException {}

    /** All regions have been closed; after {@link #close}. */
    default void regionsClosed() {}

    /** Ends the transport's threads; its connections have been closed before. Idempotent. */
    @Override
    void close();
}
