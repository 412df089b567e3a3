package org.octofs.rpc.fabric;

/** Which transport a connection is to use: the best that works between both ends, or one that the user forces. */
public enum TransportChoice {
    /** shm on the same host, else verbs where both ends have RDMA devices that reach each other, else tcp. */
    AUTO,
    /** shm or an error. */
    SHM,
    /** tcp or an error. */
    TCP,
    /** verbs or an error. */
    VERBS,
    /** In-process; only a loopback fabric knows it (and takes AUTO for it). */
    LOOPBACK
}
