package org.octofs.fuse.fuse;

import org.octofs.client.client.Consistency;

/**
 * What the kernel may keep, by the mount's consistency.
 *
 * @param timeoutSeconds how long names and attributes hold; 0 unless freshness is traded for speed
 * @param allDirect every file passes by the page cache
 * @param accessControlLists the kernel enforces POSIX access control lists on this mount
 * @param leases names and attributes hold as long as leases do
 */
public record AdapterPolicy(double timeoutSeconds, boolean allDirect, boolean accessControlLists, boolean leases) {
    private static final double RELAXED_SECONDS = 1;

    /** Of a mount without leases. */
    public static AdapterPolicy of(Consistency consistency, boolean accessControlLists) {
        return of(consistency, accessControlLists, false);
    }

    /**
     * Of a mount.
     *
     * @param accessControlLists where the binding has the kernel enforce them
     * @param leases whether the user wants leases and the binding tells of each answer that is given; they are for coherent mounts only
     */
    public static AdapterPolicy of(Consistency consistency, boolean accessControlLists, boolean leases) {
        return switch (consistency) {
            // Without a lease nothing tells the kernel of changes by others, so it keeps nothing.
            case COHERENT -> new AdapterPolicy(0, false, accessControlLists, leases);
            case STRICT -> new AdapterPolicy(0, true, accessControlLists, false);
            case RELAXED -> new AdapterPolicy(RELAXED_SECONDS, false, accessControlLists, false);
        };
    }
}
