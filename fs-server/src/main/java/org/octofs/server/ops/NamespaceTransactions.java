package org.octofs.server.ops;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.rpc.RpcRequest;

/**
 * The seam to operations whose objects have several homes. A handler that finds, after its local checks, that not every
 * inode it has to change lives in this pool hands the whole request over and does nothing else with it; whoever takes it
 * answers it exactly once, and records the outcome for resends.
 *
 * <p>The local directory is here, exists, is a directory and is not locked when a method is called; the body of the request
 * is valid until it is answered. Everything else is to be checked again under the locks.
 */
public interface NamespaceTransactions {
    /** The seam of a server that is alone: nothing else can be asked for. */
    NamespaceTransactions NONE = new NamespaceTransactions() {
        @Override
        public void mkdir(RpcRequest request, ServerState state, int childShard) {
            throw OperationException.of(Errno.ENOSYS);
        }

        @Override
        public void rmdir(RpcRequest request, ServerState state) {
            throw OperationException.of(Errno.ENOSYS);
        }

        @Override
        public void unlink(RpcRequest request, ServerState state) {
            throw OperationException.of(Errno.ENOSYS);
        }

        @Override
        public void link(RpcRequest request, ServerState state) {
            throw OperationException.of(Errno.ENOSYS);
        }

        @Override
        public void rename(RpcRequest request, ServerState state) {
            throw OperationException.of(Errno.ENOSYS);
        }
    };

    /**
     * MKDIR ({@code CreateRequest}) of a directory whose inode goes to a shard of another node.
     *
     * @param childShard the shard chosen for the new directory
     */
    void mkdir(RpcRequest request, ServerState state, int childShard);

    /** RMDIR ({@code LookupRequest}) of a directory that lives at another node. */
    void rmdir(RpcRequest request, ServerState state);

    /** UNLINK ({@code LookupRequest}) of a name whose inode lives at another node. */
    void unlink(RpcRequest request, ServerState state);

    /** LINK ({@code LinkRequest}) of an inode that lives at another node; the directory is here. */
    void link(RpcRequest request, ServerState state);

    /**
     * RENAME ({@code RenameRequest}) with the source directory here and something else elsewhere; and, in a cluster of
     * several nodes, every move of a directory to another parent, because of the loop check over all homes.
     */
    void rename(RpcRequest request, ServerState state);

    /**
     * Some work: completions, time-outs, releases.
     *
     * @param nowNanos when the worker's turn began
     * @return how much was done
     */
    default int doWork(long nowNanos) {
        return 0;
    }
}
