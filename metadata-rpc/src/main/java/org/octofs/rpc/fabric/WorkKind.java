package org.octofs.rpc.fabric;

/** The verbs. */
public enum WorkKind {
    /** Remote memory to local memory. */
    READ,
    /** Local memory to remote memory. */
    WRITE,
    /** A WRITE (of possibly no bytes) after which the immediate arrives at the peer's receive queue. */
    WRITE_WITH_IMMEDIATE
}
