package org.octofs.rpc.rpc;

import org.octofs.rpc.fabric.Connection;

/** One connection of a client and what was agreed when it was made. Immutable; replaced as a whole, known by identity. */
final class ClientLink {
    private final Connection connection;
    private final int sessionIndex;
    private final long requestRkey;
    private final int slotBytes;

    /**
     * A fresh connection.
     *
     * @param sessionIndex what the server wants in the upper half of an immediate
     * @param requestRkey region with the slots for requests, at the server
     * @param slotBytes size of each of them
     */
    ClientLink(Connection connection, int sessionIndex, long requestRkey, int slotBytes) {
        this.connection = connection;
        this.sessionIndex = sessionIndex;
        this.requestRkey = requestRkey;
        this.slotBytes = slotBytes;
    }

    Connection connection() {
        return connection;
    }

    int sessionIndex() {
        return sessionIndex;
    }

    long requestRkey() {
        return requestRkey;
    }

    int slotBytes() {
        return slotBytes;
    }

    int immediate(int slot) {
        return sessionIndex << 16 | slot;
    }
}
