package org.octofs.client.client;

/** How soon other clients see this client's data, and this one theirs. Names and attributes are always coherent. */
public enum Consistency {
    /** Data is close-to-open: committed at close and fsync (and by size and age), validated at every read. */
    COHERENT,
    /** Every write is committed before it returns. */
    STRICT,
    /** As COHERENT, and whoever caches above this library may do so for a while without asking. */
    RELAXED
}
