package org.octofs.pmem.pool;

import java.util.UUID;

/**
 * Which pool the opener wants.
 *
 * @param clusterId null takes any
 * @param nodeId {@link #ANY_NODE} takes any
 */
public record PoolExpectation(UUID clusterId, int nodeId) {
    public static final int ANY_NODE = -1;
    /** Takes what is there, for checks and tools. */
    public static final PoolExpectation ANY = new PoolExpectation(null, ANY_NODE);
}
