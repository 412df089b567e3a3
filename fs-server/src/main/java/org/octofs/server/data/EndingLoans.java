package org.octofs.server.data;

import java.util.ArrayDeque;
import java.util.function.LongPredicate;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.server.ServerClock;
import org.octofs.server.space.ShardSpace;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;

/**
 * Takes back what was lent to clients whose sessions are over: node by node, the blocks of a node once nothing of the client can
 * be stored there any more. So a node that is down holds up its own blocks only, which nobody could use anyway.
 * Threading:  confined to the worker.
 * Durability: a loan is in the reservation table until it ends. After a restart, {@link #recover} goes on with those whose
 *             clients have no session.
 */
final class EndingLoans {
    /** Loans ended per transaction. */
    private static final int LOANS_PER_STEP = 1024;

    /** Pause before nodes that had not answered are asked about again. */
    private static final long AGAIN_NANOS = 100_000_000L;

    private final MetaTransaction tx;
    private final ShardSpace space;
    private final ServerClock clock;
    private final ArrayDeque<Client> ending = new ArrayDeque<>();
    private LoanFence fence = LoanFence.OPEN;
    private int ended;

    private static final class Client {
        final long id;
        int nextEntry;
        boolean held;
        long notBeforeNanos;

        Client(long id, long notBeforeNanos) {
            this.id = id;
            this.notBeforeNanos = notBeforeNanos;
        }
    }

    EndingLoans(MetaTransaction tx, ShardSpace space, ServerClock clock) {
        this.tx = tx;
        this.space = space;
        this.clock = clock;
    }

    void fence(LoanFence value) {
        fence = value;
    }

    /** The client's session is over, and something of it may still be on its way to other nodes. */
    void add(long clientId) {
        ending.add(new Client(clientId, clock.monotonicNanos()));
    }

    /**
     * Ends the loans of a client that has nothing under way, as long as it has a session: after a restart nobody could know that any
     * more, and the other nodes would be asked to refuse it.
     */
    void endNow(long clientId) {
        int next = 0;
        while (next >= 0) {
            next = end(clientId, next, _ -> true);
        }
    }

    /** After recovery: the sessions of some lenders had ended before the blocks were back. */
    void recover(LongPredicate hasSession) {
        space.reservations().forEach((_, _, clientId, _) -> {
            if (!hasSession.test(clientId) && !contains(clientId)) {
                add(clientId);
            }
        });
    }

    private boolean contains(long clientId) {
        for (Client client : ending) {
            if (client.id == clientId) {
                return true;
            }
        }
        return false;
    }

    /** Ends a bounded number of loans. @return how much was done */
    int doWork() {
        Client client = ending.peek();
        if (client == null || clock.monotonicNanos() - client.notBeforeNanos < 0) {
            return 0;
        }
        int next = end(client.id, client.nextEntry, location -> mayEnd(client, BlockLocation.node(location)));
        if (next >= 0) {
            client.nextEntry = next;
            return 1;
        }
        ending.remove();
        if (client.held) {
            client.held = false;
            client.nextEntry = 0;
            client.notBeforeNanos = clock.monotonicNanos() + AGAIN_NANOS;
            ending.add(client);
        } else {
            fence.loansEnded(client.id);
        }
        return ended;
    }

    private boolean mayEnd(Client client, int node) {
        boolean may = fence.isFenced(client.id, node);
        client.held |= !may;
        return may;
    }

    /** One step. Answers where to go on, -1 if that was all. */
    private int end(long clientId, int firstEntry, LongPredicate which) {
        ended = 0;
        tx.begin(RecordType.RESERVATION);
        int next = space.reservations()
                .endLoans(tx, clientId, firstEntry, LOANS_PER_STEP, which, (location, count, _, shard) -> {
                    ended++;
                    space.freeAfter(tx, shard, location, count);
                });
        if (ended > 0) {
            tx.commit();
        } else {
            tx.abort();
        }
        return next;
    }
}
