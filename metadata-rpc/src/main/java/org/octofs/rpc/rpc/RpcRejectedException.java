package org.octofs.rpc.rpc;

/**
 * The server does not want this client: other cluster, other version, too many sessions. The message is written for the
 * user at the client's end and says what to do.
 */
public final class RpcRejectedException extends RpcException {
    private static final long serialVersionUID = 1L;

    public RpcRejectedException(String reason) {
        super(reason);
    }
}
