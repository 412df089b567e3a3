/**
 * Persistent memory as a pool of segments with a redo log.
 *
 * <p>It must not know of files, paths, errno or networks.
 */
package org.octofs.pmem;
