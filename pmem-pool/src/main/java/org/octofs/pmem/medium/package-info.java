/**
 * Persistent memory as a device: stores, flushes, fences. Read {@link org.octofs.pmem.medium.PmemMedium} first, then
 * {@link org.octofs.pmem.medium.Media}, which opens and creates pool files.
 *
 * <p>The only package that sees llpl and libpmem. It knows nothing of what the bytes mean.
 *
 * <p>Threading: stores, flushes and fences may come from several threads as long as they own the lines they touch; a
 * fence covers the flushes of the calling thread. Opening and closing belong to one thread.
 */
package org.octofs.pmem.medium;
