/**
 * A node's persistent memory: mapping, flush and fence, superblock and zones, segment ownership, redo log, offline check.
 * This package holds the exceptions; read {@link org.octofs.pmem.pool.PmemPool} first.
 *
 * <p>Three things of use differ from what one might expect: only records with a payload can be retained (at most an eighth of
 * the log); a record with updates must be applied before the next one begins; a pool's tables may be believed only after
 * {@code redoLog().replay(visitor)}.
 *
 * <p>It must know nothing of files and directories of the file system, of errno, or of networks.
 *
 * <p>All offsets are pool offsets, in bytes from the start of the pool; 0 means none.
 */
package org.octofs.pmem;
