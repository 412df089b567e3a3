/**
 * From the pool to a server's state: the first file system of a fresh pool, and the rebuilding of all indexes at each start.
 *
 * <p>Read {@link org.octofs.server.recovery.MetadataRecovery} first. Runs before the server listens, on the worker's thread.
 */
package org.octofs.server.recovery;
