package org.octofs.rpc.rpc;

/**
 * Bodies of the messages by which both sides agree on the place and size of one slot. Little-endian. They carry
 * {@code FLAG_CONTROL}, one of these opcodes and the id of the call for whose sake they are sent, and travel in the slot
 * as it is before the change.
 */
final class ControlLayout {
    /**
     * Client to server: my request needs (or no longer needs) a larger slot, and here is where my replies go from now on.
     * Server to client, in answer: there your request goes from now on. If the server already has the reply to the call,
     * that is the answer instead, in its new place.
     */
    static final int OP_PLACE = 1;

    /** Server to client: the reply needs a larger slot than yours; answer with {@link #OP_PLACE}. */
    static final int OP_REPLY_TOO_LARGE = 2;

    /** u64, region of the sender in which the slot is. */
    static final int RKEY_OFFSET = 0;

    /** u64, where in that region the slot begins. */
    static final int SLOT_OFFSET_OFFSET = RKEY_OFFSET + Long.BYTES;

    /** u32, size of that slot. */
    static final int SLOT_BYTES_OFFSET = SLOT_OFFSET_OFFSET + Long.BYTES;

    /** u32, size wanted of the receiver's slot; 0 in the server's answer. */
    static final int WANTED_BYTES_OFFSET = SLOT_BYTES_OFFSET + Integer.BYTES;

    static final int SIZE_BYTES = WANTED_BYTES_OFFSET + Integer.BYTES;

    private ControlLayout() {}

    /** The size of a slot that holds a message: a power of two between the limits. */
    static int slotBytesFor(int messageBytes) {
        int size = RpcLimits.SLOT_BYTES_MIN;
        while (size < messageBytes) {
            size <<= 1;
        }
        return size;
    }

    /** True if a number from the wire can be the size of a slot. */
    static boolean isSlotBytes(long bytes) {
        return bytes >= RpcLimits.SLOT_BYTES_MIN && bytes <= RpcLimits.SLOT_BYTES_MAX && Long.bitCount(bytes) == 1;
    }
}
