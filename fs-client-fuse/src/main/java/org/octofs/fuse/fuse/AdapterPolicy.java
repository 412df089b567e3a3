package org.octofs.fuse.fuse;

import org.octofs.client.client.Consistency;

/**
 * What the kernel may keep, by the mount's consistency.
 *
 * @param timeoutSeconds how long names and attributes hold; 0 unless freshness is traded for speed
 * @param allDirect every file passes by the page cache
 */
public record AdapterPolicy(double timeoutSeconds, boolean allDirect) {
    private static final double RELAXED_SECONDS = 1;

    public static AdapterPolicy of(Consistency consistency) {
        return switch (consistency) {
            // Nothing tells the kernel of changes by others, so it keeps nothing.
            case COHERENT -> new AdapterPolicy(0, false);
            case STRICT -> new AdapterPolicy(0, true);
            case RELAXED -> new AdapterPolicy(RELAXED_SECONDS, false);
        };
    }
}
