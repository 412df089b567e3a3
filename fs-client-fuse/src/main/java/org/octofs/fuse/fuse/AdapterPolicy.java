package org.octofs.fuse.fuse;

import org.octofs.client.client.Consistency;

/**
 * What the kernel may keep, by the mount's consistency.
 *
 * @param timeoutSeconds how long names and attributes hold; 0 unless freshness is traded for speed
 * @param allDirect every file passes by the page cache
 * @param accessControlLists the kernel enforces POSIX access control lists on this mount
 */
public record AdapterPolicy(double timeoutSeconds, boolean allDirect, boolean accessControlLists) {
    private static final double RELAXED_SECONDS = 1;

    /** Of a mount; {@code accessControlLists} where the binding has the kernel enforce them. */
    public static AdapterPolicy of(Consistency consistency, boolean accessControlLists) {
        return switch (consistency) {
            // Nothing tells the kernel of changes by others, so it keeps nothing.
            case COHERENT -> new AdapterPolicy(0, false, accessControlLists);
            case STRICT -> new AdapterPolicy(0, true, accessControlLists);
            case RELAXED -> new AdapterPolicy(RELAXED_SECONDS, false, accessControlLists);
        };
    }
}
