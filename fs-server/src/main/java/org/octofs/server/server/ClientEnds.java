package org.octofs.server.server;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.octofs.server.ServerClock;
import org.octofs.server.data.LoanFence;

/**
 * What is left to do for clients whose sessions are over: the other servers have to refuse them, then their file locks are
 * given up, and the blocks lent to them come back, those of each node when that node has answered.
 * Threading:  confined to the worker.
 * Limits:     a node that is away is asked when it is back, however late.
 */
final class ClientEnds implements LoanFence {
    private static final long CHECK_NANOS = 100_000_000L;

    private final PeerFencer fencer;
    private final LongConsumer unlock;
    private final int nodeId;
    private final List<Client> clients = new ArrayList<>();
    private long nextCheckNanos;

    private static final class Client {
        final long id;
        boolean locked = true;
        boolean hasLoans = true;

        Client(long id) {
            this.id = id;
        }
    }

    /** @param unlock gives up the file locks of a client */
    ClientEnds(PeerFencer fencer, LongConsumer unlock, ServerClock clock, int nodeId) {
        this.fencer = fencer;
        this.unlock = unlock;
        this.nodeId = nodeId;
        this.nextCheckNanos = clock.monotonicNanos();
    }

    /** A session is over that did not end itself. */
    void ended(long clientId) {
        find(clientId);
    }

    @Override
    public boolean isFenced(long clientId, int node) {
        return node == nodeId || fencer.isFenced(find(clientId).id, node);
    }

    @Override
    public void loansEnded(long clientId) {
        find(clientId).hasLoans = false;
    }

    /** Looks at most ten times a second. @return how many clients are done with */
    int doWork(long nowNanos) {
        if (clients.isEmpty() || nowNanos - nextCheckNanos < 0) {
            return 0;
        }
        nextCheckNanos = nowNanos + CHECK_NANOS;
        int done = 0;
        for (int i = clients.size() - 1; i >= 0; i--) {
            Client client = clients.get(i);
            if (client.locked && fencer.fence(client.id)) {
                client.locked = false;
                unlock.accept(client.id);
            }
            if (!client.locked && !client.hasLoans) {
                fencer.forget(client.id);
                clients.remove(i);
                done++;
            }
        }
        return done;
    }

    private Client find(long clientId) {
        for (Client client : clients) {
            if (client.id == clientId) {
                return client;
            }
        }
        Client client = new Client(clientId);
        clients.add(client);
        return client;
    }
}
