/**
 * The tcp transport: a network card in software. READ and WRITE are frames on a socket, executed on the peer's registered
 * memory by an I/O thread of its process, below and unknown to whoever uses the memory.
 *
 * <p>Read {@link org.octofs.rpc.fabric.tcp.TcpConnection} first, then {@code Inbound} and {@code Outbound}, the two halves
 * of the protocol, and {@code TcpFrameLayout} for the bytes.
 *
 * <p>Threads: an {@code IoLoop} per fabric serves all sockets. On the connecting side, threads that wait read the sockets
 * themselves ({@code TcpSource}), so that an answer costs no change of threads; the loop leaves such sockets alone
 * meanwhile and takes them back when nobody drives them any more.
 *
 * <p>Must not know: the messages that travel in the memory, persistent memory.
 */
package org.octofs.rpc.fabric.tcp;
