/**
 * What a client remembers, and what keeps it valid:
 * <ul>
 *   <li>{@link org.octofs.client.cache.SlotCache}: where an inode's slot is. A stale answer is noticed by whoever reads the
 *       slot, since the image names its inode and numbers are never used again.
 *   <li>{@link org.octofs.client.cache.DentryCache}: names, present and absent, as of a version of their directory. Valid if a
 *       READ of the directory's version word answers that version.
 *   <li>{@link org.octofs.client.cache.MapCache}: where a file's blocks are, as of a version of the file; its owner compares
 *       the version word after every read.
 * </ul>
 * Nothing here expires by time. Must not know how to talk to servers.
 */
package org.octofs.client.cache;
