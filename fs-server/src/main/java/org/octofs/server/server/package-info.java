/**
 * The server process: its parts put together, its worker, its connections, its command line.
 *
 * <p>Read {@link org.octofs.server.server.FsServer} first. One worker thread does everything that touches the state of the file
 * system; nothing it calls blocks.
 */
package org.octofs.server.server;
