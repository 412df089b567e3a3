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
        /** It has said goodbye after its last store. */
        final boolean left;

        int nextEntry;
        boolean held;
        long notBeforeNanos;

        Client(long id, boolean left, long notBeforeNanos) {
            this.id = id;
            this.left = left;
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

    /** The client's session is over; {@code left} if it had nothing under way. */
    void add(long clientId, boolean left) {
        ending.add(new Client(clientId, left, clock.monotonicNanos()));
    }

    /** After recovery: the sessions of some lenders had ended before the blocks were back. */
    void recover(LongPredicate hasSession) {
        space.reservations().forEach((_, _, clientId, _) -> {
            if (!hasSession.test(clientId) && !contains(clientId)) {
                add(clientId, false);
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
        ended = 0;
        tx.begin(RecordType.RESERVATION);
        int next = space.reservations()
                .endLoans(
                        tx,
                        client.id,
                        client.nextEntry,
                        LOANS_PER_STEP,
                        location -> mayEnd(client, BlockLocation.node(location)),
                        (location, count, _, shard) -> {
                            ended++;
                            space.freeAfter(tx, shard, location, count);
                        });
        if (ended > 0) {
            tx.commit();
        } else {
            tx.abort();
        }
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
        } else if (!client.left) {
            fence.loansEnded(client.id);
        }
        return ended;
    }

    private boolean mayEnd(Client client, int node) {
        boolean may = client.left || fence.isFenced(client.id, node);
        client.held |= !may;
        return may;
    }
}
