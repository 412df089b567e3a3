package org.octofs.rpc.rpc;

/** Takes the outcome of a call that was sent with {@link RpcCall#sendAsync}. */
@FunctionalInterface
public interface RpcCompletion {
    /**
     * Called exactly once, by the thread that polls the client (or the receive queue it shares), never by
     * {@code sendAsync} itself. Must not block; may begin and send other calls, and has to close {@code call} at some time.
     *
     * @param call the finished call; {@link RpcCall#errno} and {@link RpcCall#reply} are valid if {@code failure} is null
     * @param failure null if there is a reply, else why there is none
     */
    void completed(RpcCall call, RpcException failure);
}
