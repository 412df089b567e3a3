package org.octofs.rpc.protocol;

/** How long leases hold by themselves: what clients and servers must agree on. */
public final class LeaseTimes {
    /** For so long a kernel is told to keep names and attributes, from the moment at which the client's word was read. */
    public static final long TERM_NANOS = 1_000_000_000L;

    /**
     * After so long from the change of a client's word nothing is kept any more under what was granted before. Longer than the
     * term: a kernel counts from the moment at which it gets round to an answer.
     */
    public static final long PATIENCE_NANOS = 2_000_000_000L;

    private LeaseTimes() {}
}
