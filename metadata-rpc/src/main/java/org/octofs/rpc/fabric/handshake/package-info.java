/**
 * How two processes meet: a TCP connection to the listener's address, a versioned handshake that picks a transport, and
 * what becomes of the socket then. Also the seam by which a transport plugs in. Read
 * {@link org.octofs.rpc.fabric.handshake.FrameLayout} for the bytes and
 * {@link org.octofs.rpc.fabric.handshake.Transport} to write a transport.
 *
 * <p>Threading: one control thread per fabric serves all listeners and all control channels; nothing in it blocks.
 * Nothing that a stranger sends costs more than one small buffer for a bounded time. Must not know: any transport in
 * particular.
 */
package org.octofs.rpc.fabric.handshake;
