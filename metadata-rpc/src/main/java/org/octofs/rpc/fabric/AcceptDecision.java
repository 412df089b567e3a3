package org.octofs.rpc.fabric;

/** Answer to an incoming connection. */
public sealed interface AcceptDecision {
    /** Let it in; the peer gets {@code reply} as its {@link Connection#peerPrivateData}. */
    @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
    record Accept(byte[] reply) implements AcceptDecision {
        /** Checks the size of the reply. */
        public Accept {
            if (reply.length > Fabric.PRIVATE_DATA_BYTES_MAX) {
                throw new IllegalArgumentException("private data of " + reply.length + " bytes; at most "
                        + Fabric.PRIVATE_DATA_BYTES_MAX + " are possible");
            }
        }
    }

    /** Refuse it; {@code reason} is shown to the other side's user. */
    record Reject(String reason) implements AcceptDecision {}

    /** Let it in. */
    static AcceptDecision accept(byte[] reply) {
        return new Accept(reply);
    }

    /** Refuse it, with a reason for the other side's user. */
    static AcceptDecision reject(String reason) {
        return new Reject(reason);
    }
}
