package org.octofs.rpc.rpc;

import org.octofs.rpc.protocol.MessageHeaderLayout;

/** Sizes and counts that the RPC keeps to on both sides. */
public final class RpcLimits {
    /** What a slot has at first, and again after a run of small messages; a power of two. */
    public static final int SLOT_BYTES_MIN = 4 << 10;

    /** What a slot grows to; a power of two. */
    public static final int SLOT_BYTES_MAX = 256 << 10;

    /** The longest body of a request or reply. */
    public static final int BODY_BYTES_MAX = SLOT_BYTES_MAX - MessageHeaderLayout.SIZE_BYTES;

    /** Slots of one client at one server: calls that can be outstanding. */
    public static final int SLOTS_MAX = 256;

    /** Sessions of one server; the index has to fit the immediate. */
    public static final int SESSIONS_MAX = 65_535;

    /** What the user of the RPC can say in the hello and in its answer. */
    public static final int HELLO_BYTES_MAX = 416;

    private RpcLimits() {}
}
