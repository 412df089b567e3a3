/**
 * What this machine has mounted: the kernel's table of mounts, whether somebody serves one, and what a mount process says of
 * its own. Start with {@link org.octofs.client.mounts.MountTable}. Thread-safe; knows nothing of clusters.
 */
package org.octofs.client.mounts;
