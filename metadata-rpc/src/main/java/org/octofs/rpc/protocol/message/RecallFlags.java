package org.octofs.rpc.protocol.message;

/** Bits of a {@link RecallsRequest}. */
public final class RecallFlags {
    /** The client begins anew: it has forgotten every lease, though its kernel may keep things for a term still. */
    public static final int BEGIN = 1;

    /** With nothing kept any more, by the kernel neither: the leases end at once. */
    public static final int NOTHING_KEPT = 2;

    private RecallFlags() {}
}
