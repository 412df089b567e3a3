package org.octofs.rpc.rpc;

import org.octofs.rpc.fabric.Connection;

/**
 * One connection of a client and what was agreed when it was made. Replaced as a whole by the next one.
 *
 * @param sessionIndex what the server wants in the upper half of an immediate
 * @param requestRkey region with the slots for requests, at the server
 * @param slotBytes size of each of them
 */
record ClientLink(Connection connection, int sessionIndex, long requestRkey, int slotBytes) {
    int immediate(int slot) {
        return sessionIndex << 16 | slot;
    }
}
