package org.octofs.rpc.rpc;

/** Notices a run of messages that are small for their slot. Confined to the slot. */
final class SmallRun {
    /** So many in a row, and the slot is halved. */
    static final int LENGTH = 64;

    private int run;

    void note(int messageBytes, int slotBytes) {
        if (slotBytes > RpcLimits.SLOT_BYTES_MIN && messageBytes <= slotBytes / 4) {
            run++;
        } else {
            run = 0;
        }
    }

    /** True once when a run is complete; the next one begins then. */
    boolean takeShrink() {
        if (run < LENGTH) {
            return false;
        }
        run = 0;
        return true;
    }

    void reset() {
        run = 0;
    }
}
