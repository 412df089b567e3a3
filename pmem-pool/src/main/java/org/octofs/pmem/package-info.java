/**
 * A node's persistent memory: mapping, flush and fence, superblock and zones, segment ownership, redo log, offline check.
 * This package holds the exceptions; read {@link org.octofs.pmem.pool.PmemPool} first.
 * It must know nothing of files and directories of the file system, of errno, or of networks.
 *
 * <p>All offsets are pool offsets, in bytes from the start of the pool; 0 means none.
 */
package org.octofs.pmem;
