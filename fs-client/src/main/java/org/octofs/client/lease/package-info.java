/**
 * Leases of homes: what a kernel above this client may keep of names and attributes, and how it is told to drop it before others change
 * it.
 *
 * <p>Read {@link org.octofs.client.lease.Leases} first. Threads: any may ask; one per home with leases waits for recalls. Must not
 * know: FUSE; what keeps things is a {@link org.octofs.client.lease.KernelCache}.
 */
package org.octofs.client.lease;
