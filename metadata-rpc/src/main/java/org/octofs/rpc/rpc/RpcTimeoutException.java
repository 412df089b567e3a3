package org.octofs.rpc.rpc;

/**
 * The deadline of a call has passed without a reply.
 *
 * <p>If {@link #isOutcomeUnknown()}, the operation may have happened, may happen later, or never; nobody may guess. Else
 * the request never left this process (no free slot, no connection), so it did not happen.
 */
public final class RpcTimeoutException extends RpcException {
    private static final long serialVersionUID = 1L;

    private final boolean outcomeUnknown;

    public RpcTimeoutException(String message, boolean outcomeUnknown) {
        super(message);
        this.outcomeUnknown = outcomeUnknown;
    }

    public boolean isOutcomeUnknown() {
        return outcomeUnknown;
    }
}
