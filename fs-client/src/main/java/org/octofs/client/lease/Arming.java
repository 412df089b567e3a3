package org.octofs.client.lease;

/**
 * One answer to the kernel that is being made, with what it may keep of it. Made once per thread and used again: {@link Leases#begin} before
 * anything is read, {@link Leases#names} and {@link Leases#attributes} after, {@link Leases#answered} when the kernel has the answer, or
 * was given none.
 *
 * <p>Threading: one thread at a time.
 */
public final class Arming {
    long sinceNanos;
    long armedNanos;
    KeptLease names;
    KeptLease attributes;
    byte[] name;

    /** Whether the kernel may keep something of the answer. */
    public boolean isArmed() {
        return names != null || attributes != null;
    }
}
