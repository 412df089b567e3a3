/**
 * Advisory file locks of all clients: who holds which range of which file.
 *
 * <p>Read {@link org.octofs.server.lease.FileLockTable} first. Locks live in DRAM only: a client tells a restarted server
 * again which ones it holds, and until all have, no lock that could conflict is granted. Threading: the server's single
 * worker. Must not know: messages, media.
 */
package org.octofs.server.lease;
