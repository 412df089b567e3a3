/**
 * The verbs transport: reliable connected queue pairs over the RDMA connection manager, through DiSNI's API. Read {@link
 * org.octofs.rpc.fabric.verbs.VerbsConnection} first.
 *
 * <p>A connection has two halves: the control channel (the socket of the handshake), by which the sides tell each other what
 * they grant, and the queue pair, which moves the data. Memory is registered once per region; what a peer may reach of it is
 * a memory window bound to the peer's queue pair, so that taking it back is one call that the card enforces.
 *
 * <p>Threading: said per class. Locks in this order: the drain lock of {@link CompletionSource}, a region's monitor, the lock
 * of a {@link SendQueue}. Must not know: persistent memory, files, messages.
 */
package org.octofs.rpc.fabric.verbs;
