package org.octofs.rpc.rpc;

/**
 * The client was closed, or the server has refused it for good; further calls fail in the same way. A call that was
 * outstanding has an unknown outcome.
 */
public final class RpcClosedException extends RpcException {
    private static final long serialVersionUID = 1L;

    public RpcClosedException(String message) {
        super(message);
    }
}
