package org.octofs.rpc.rpc;

import java.io.IOException;

/**
 * A call has no reply. What that says about the operation differs by subclass; see there.
 *
 * <p>An operation that was executed and failed is no exception here: its errno is in the reply.
 */
public class RpcException extends IOException {
    private static final long serialVersionUID = 1L;

    public RpcException(String message) {
        super(message);
    }

    public RpcException(String message, Throwable cause) {
        super(message, cause);
    }
}
