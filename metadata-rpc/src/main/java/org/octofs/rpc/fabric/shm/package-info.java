/**
 * The transport between processes of one host: each side maps what the other grants it and copies by itself; arrivals go
 * into the receiver's ring. The handshake's socket stays open as the control channel, by whose end a dead peer is noticed.
 * Read {@link org.octofs.rpc.fabric.shm.ShmConnection} first.
 *
 * <p>Threading: verbs run in the threads that post them; grants are handled on the control thread, or by a poster that
 * cannot wait. Trust: a peer is trusted with what it is granted, by file permissions; it can break the arrivals of a
 * queue that it shares, but not crash its owner. Must not know: files other than by the path of a region.
 */
package org.octofs.rpc.fabric.shm;
