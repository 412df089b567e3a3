package org.octofs.client.data;

import org.octofs.rpc.rpc.RpcCall;

/**
 * A COMMIT that was sent and is not waited for: while the home works on it, the writer goes on. Whoever has the file's
 * exclusive lock and needs to know how it went takes the answer, see {@link Committer#finishBehind}.
 *
 * <p>Threading: guarded by the file's exclusive lock.
 */
final class CommitBehind {
    final CommitCall commit = new CommitCall();

    /** The call that is outstanding; null if it could not be sent, or did not succeed: the blocks are to be sent again. */
    RpcCall call;
}
