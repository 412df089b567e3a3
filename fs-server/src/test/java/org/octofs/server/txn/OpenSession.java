package org.octofs.server.txn;

import java.util.UUID;
import org.octofs.rpc.cluster.ClusterHello;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.rpc.RpcRejectedException;
import org.octofs.rpc.rpc.RpcSession;
import org.octofs.server.session.ClientSession;
import org.octofs.server.session.Sessions;

/** A client at one server: has files open there, and its outcomes are recorded. */
final class OpenSession implements RpcSession {
    private static final long CLIENT_ID = 77;

    private final TxnNode node;
    private final ClientSession session;
    private Object attachment;

    /** Begins the session, or finds it in the table of an earlier life. */
    OpenSession(TxnNode node) {
        this.node = node;
        Sessions sessions = new Sessions(
                node.state.sessionTable(),
                node.state.transaction(),
                node.state.opens(),
                node.state.clock(),
                1_000_000_000_000L,
                new Sessions.Owner() {
                    @Override
                    public void ended(ClientSession ended) {
                        throw new AssertionError("no session ends here");
                    }

                    @Override
                    public void closed(long ino) {
                        node.state.orphans().closed(ino);
                    }
                });
        sessions.recover();
        try {
            session = sessions.opened(this, ClusterHello.client(new UUID(1, 2)));
        } catch (RpcRejectedException e) {
            throw new AssertionError(e);
        }
    }

    void open(long ino) {
        node.state.opens().open(session, ino, 1);
    }

    void close(long ino) {
        if (node.state.opens().close(session, ino)) {
            node.state.orphans().closed(ino);
        }
    }

    @Override
    public long clientId() {
        return CLIENT_ID;
    }

    @Override
    public boolean isConnected() {
        return true;
    }

    @Override
    public Connection connection() {
        throw new UnsupportedOperationException("there is no connection in here");
    }

    @Override
    public long lastHeardNanos() {
        return node.state.clock().monotonicNanos();
    }

    @Override
    public boolean peerProcessKnownDead() {
        return false;
    }

    @Override
    public boolean mayStillWrite() {
        return false;
    }

    @Override
    public Object attachment() {
        return attachment;
    }

    @Override
    public void attach(Object value) {
        attachment = value;
    }
}
