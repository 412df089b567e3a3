package org.octofs.rpc.fabric;

/** A way to reach a peer's memory. The code travels in the handshake. */
public enum TransportKind {
    /** Processes of one host: the peer's memory is mapped and copied by the caller. */
    SHM(1),
    /** Any hosts: the peer's I/O thread executes the verbs, a network card in software. */
    TCP(2),
    /** One process, for tests and simulation. */
    LOOPBACK(3),
    /** Hosts with RDMA devices: the network cards do it. */
    VERBS(4);

    /** Wire code of the transport. */
    public final int code;

    TransportKind(int code) {
        this.code = code;
    }

    /**
     * The transport with a wire code.
     *
     * @return null for a code of a newer version
     */
    public static TransportKind ofCode(int code) {
        for (TransportKind kind : values()) {
            if (kind.code == code) {
                return kind;
            }
        }
        return null;
    }
}
