/**
 * A pool as a whole: how big its zones are, formatting, opening, closing, checking. Read
 * {@link org.octofs.pmem.pool.PmemPool} first.
 *
 * <p>Threading: everything here belongs to the thread that opens the pool, later the pool's worker.
 */
package org.octofs.pmem.pool;
