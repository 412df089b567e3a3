package org.octofs.server.lease;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.collections.Long2ObjectHashMap;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.LeaseTimes;
import org.octofs.rpc.protocol.message.LeaseKind;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ServerClock;
import org.octofs.server.store.MetaTransaction;

/**
 * Which clients' kernels keep attributes and names of this home, and the recalls before a change. Whoever is about to change
 * something asks {@link #mayChange}; "no" means that recalls are on their way, and that the answer will be "yes" in a moment, after
 * {@link LeaseTimes#PATIENCE_NANOS} at the latest, however dead the holders are: {@link LeaseWords} see to it that a client
 * which has not heard of a recall lets nothing new be kept.
 * Threading:  confined to the worker.
 * Durability: none; a restarted server waits until what its former life has granted is over by itself.
 * Limits:     {@link #LEASES_MAX}; the oldest is recalled for one more.
 */
public final class LeaseTable {
    /** Leases of all clients. */
    public static final int LEASES_MAX = 1 << 16;

    private static final byte[] NO_NAME = {};
    /** In the place of a name, with attributes: the kernel must not judge by the owner or the mode from before any more. */
    private static final byte[] RIGHTS = {1};

    private static final long CHECK_NANOS = 100_000_000L;
    /** No lease is granted on what somebody wants to change: he tries again, and must not meet a new one each time. */
    private static final long QUIET_NANOS = 20_000_000L;

    /** No lease is granted on the names of a directory after one ended without an answer. */
    private static final long CONTENDED_NANOS = 30_000_000_000L;

    private static final int QUIET_CELLS = 1024;

    private final LeaseWords words;
    private final ServerClock clock;
    private final Runnable released;
    private final MetaTransaction transaction;
    private final RecallAnswers answers;
    private final Long2ObjectHashMap<List<Lease>> attributes = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<List<Lease>> names = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<LeaseClient> clients = new Long2ObjectHashMap<>();
    private final ArrayDeque<Lease> oldestFirst = new ArrayDeque<>();
    private final ArrayDeque<Lease> ending = new ArrayDeque<>();
    private final long[] quietUntil = new long[QUIET_CELLS];
    private final long[] namesQuietUntil = new long[QUIET_CELLS];
    private long incarnation;
    private boolean open = true;
    private long openNanos;
    private long nextCheckNanos;
    private int leaseCount;
    private long granted;
    private long recalled;
    private long unanswered;

    /** @param released called when a change that was put off may be possible */
    public LeaseTable(LeaseWords words, MetaTransaction transaction, ServerClock clock, Runnable released) {
        this.words = words;
        this.transaction = transaction;
        this.answers = new RecallAnswers(words);
        this.clock = clock;
        this.released = released;
    }

    /** Begins a life of the server. Nothing is changed before what an earlier one has granted is over by itself. */
    public void recover(long newIncarnation) {
        incarnation = newIncarnation;
        open = !words.recover(newIncarnation);
        long now = clock.monotonicNanos();
        openNanos = now + LeaseTimes.PATIENCE_NANOS;
        nextCheckNanos = now;
        Arrays.fill(quietUntil, now);
        Arrays.fill(namesQuietUntil, now);
    }

    // ------------------------------------------------------------------------------------------------ changes

    /** Whether nobody is in the way of any change; cheap. */
    public boolean isEmpty() {
        return open && leaseCount == 0;
    }

    /**
     * Whether the attributes of an inode may be changed for a client: no other one's kernel keeps them. If not, they are being recalled.
     *
     * @param changer its own kernel knows of the change by itself; 0 is nobody
     */
    public boolean mayChange(long ino, long changer) {
        return isFree(attributes, ino, NO_NAME, changer);
    }

    /**
     * The same for a change of mode, owner or group. Kernels judge some calls by those that they know from when they looked the name up,
     * for as long as they keep the name; so it has to be looked up again.
     */
    public boolean mayChangeRights(long ino, long changer) {
        return isFree(attributes, ino, RIGHTS, changer);
    }

    /** Whether a name that exists may be removed or stand for something else. */
    public boolean mayChangeName(long directory, byte[] name, long changer) {
        return isFree(names, directory, name, changer);
    }

    private boolean isFree(Long2ObjectHashMap<List<Lease>> table, long ino, byte[] name, long changer) {
        if (!open) {
            return false;
        }
        List<Lease> leases = table.get(ino);
        if (leases == null) {
            return true;
        }
        boolean free = true;
        for (int i = 0; i < leases.size(); i++) {
            Lease lease = leases.get(i);
            if (lease.client.id != changer && !lease.hasDropped(name)) {
                recall(lease, name);
                free = false;
            }
        }
        if (!free) {
            quietUntil[cell(ino)] = clock.monotonicNanos() + QUIET_NANOS;
        }
        return free;
    }

    private void recall(Lease lease, byte[] name) {
        if (lease.wasAsked(name)) {
            return;
        }
        recalled++;
        lease.ask(name);
        LeaseClient client = lease.client;
        if (!client.broken) {
            client.word = words.recall(client.sessionIndex);
            if (client.pending.size() < LeaseClient.PENDING_MAX) {
                client.pending.add(new LeaseClient.Recall(client.word, lease, name));
            } else {
                client.breakOff();
            }
        }
        end(lease);
    }

    private void end(Lease lease) {
        if (!lease.isEnding()) {
            // After the word was changed: whatever is kept was validated before.
            lease.end(clock.monotonicNanos() + LeaseTimes.PATIENCE_NANOS);
            ending.add(lease);
        }
    }

    // ------------------------------------------------------------------------------------------------ clients

    /**
     * Grants a lease on what is here and not locked.
     *
     * @return OK; EAGAIN if it is being changed, or was by others a moment ago; ESTALE if the client has to begin anew
     */
    public Errno grant(long clientId, long ino, int kind) {
        LeaseClient client = clients.get(clientId);
        if (client == null || client.broken) {
            return Errno.ESTALE;
        }
        long now = clock.monotonicNanos();
        if (!open || now - quietUntil[cell(ino)] < 0) {
            return Errno.EAGAIN;
        }
        if (kind == LeaseKind.NAMES && now - namesQuietUntil[cell(ino)] < 0) {
            return Errno.EAGAIN;
        }
        Long2ObjectHashMap<List<Lease>> table = table(kind);
        List<Lease> leases = table.computeIfAbsent(ino, _ -> new ArrayList<>(1));
        for (int i = 0; i < leases.size(); i++) {
            Lease his = leases.get(i);
            if (his.client.id == clientId && !(kind == LeaseKind.ATTRIBUTES && his.hasDropped(NO_NAME))) {
                return his.isEnding() ? Errno.EAGAIN : Errno.OK;
            }
        }
        Lease lease = new Lease(ino, kind, client);
        leases.add(lease);
        oldestFirst.add(lease);
        leaseCount++;
        granted++;
        makeRoom();
        return Errno.OK;
    }

    private void makeRoom() {
        while (leaseCount - ending.size() > LEASES_MAX && !oldestFirst.isEmpty()) {
            Lease oldest = oldestFirst.poll();
            if (!oldest.isEnding() && !oldest.isOver()) {
                recall(oldest, NO_NAME);
            }
        }
        if (oldestFirst.size() > 2 * LEASES_MAX) {
            oldestFirst.removeIf(lease -> lease.isEnding() || lease.isOver());
        }
    }

    /**
     * A client begins, or begins anew, and is answered: it believes in no lease any more.
     *
     * @param nothingKept its kernel keeps nothing either
     */
    void begin(RpcRequest request, int sessionIndex, boolean nothingKept) {
        clientGone(request.clientId(), nothingKept);
        LeaseClient client = new LeaseClient(request.clientId(), sessionIndex);
        client.word = words.begin(transaction, sessionIndex, incarnation);
        clients.put(client.id, client);
        answers.send(request, client);
    }

    /** A session is over, or its client begins anew. */
    public void clientGone(long clientId, boolean nothingKept) {
        LeaseClient client = clients.remove(clientId);
        if (client == null) {
            return;
        }
        // Nobody validates against this word any more.
        client.word = words.recall(client.sessionIndex);
        client.breakOff();
        if (client.parked != null) {
            answers.refuse(client);
        }
        leasesOf(client).forEach(nothingKept ? this::remove : this::end);
        released.run();
    }

    /** Takes the numbers of recalls that were dropped, and answers, now or later: ESTALE if the client has to begin anew. */
    void recalls(RpcRequest request, long[] dropped, long waitNanos) {
        LeaseClient client = clients.get(request.clientId());
        if (client == null || client.broken) {
            request.send(Errno.ESTALE.value, 0);
            return;
        }
        client.heard++;
        for (long number : dropped) {
            LeaseClient.Recall recall = client.acknowledged(number);
            if (recall != null) {
                acknowledged(recall);
            }
        }
        if (waitNanos == 0) {
            answers.nothing(request);
            return;
        }
        if (client.parked != null) {
            answers.nothing(client.parked);
        }
        client.parked = request;
        long now = clock.monotonicNanos();
        client.parkedUntilNanos = now + Math.min(waitNanos, Math.max(0, request.deadlineNanos() - now) / 2);
    }

    private void acknowledged(LeaseClient.Recall recall) {
        Lease lease = recall.lease;
        if (lease.kind == LeaseKind.ATTRIBUTES && Arrays.equals(recall.name, RIGHTS)) {
            remove(lease);
        } else {
            // Other names, or the name that leads to these attributes, may be kept until they are over by themselves.
            lease.dropped(recall.name);
        }
        released.run();
    }

    // ------------------------------------------------------------------------------------------------ time

    /** Ends what is over. */
    public int doWork() {
        if (open && clients.isEmpty() && ending.isEmpty()) {
            return 0;
        }
        int done = 0;
        long now = clock.monotonicNanos();
        if (!open && now - openNanos >= 0) {
            open = true;
            words.earlierIsOver();
            released.run();
            done++;
        }
        boolean ended = false;
        while (!ending.isEmpty() && now - ending.peek().endNanos() >= 0) {
            Lease lease = ending.poll();
            if (!lease.isOver()) {
                if (lease.isUnanswered()) {
                    unanswered(lease, now);
                }
                remove(lease);
            }
            ended = true;
        }
        if (ended) {
            clients.values().forEach(LeaseClient::forgetWhatIsOver);
            released.run();
            done++;
        }
        return done;
    }

    private void unanswered(Lease lease, long now) {
        unanswered++;
        if (lease.kind == LeaseKind.NAMES) {
            // Two clients that change names here may have waited for each other. Not again so soon.
            namesQuietUntil[cell(lease.ino)] = now + CONTENDED_NANOS;
        }
        LeaseClient client = lease.client;
        if (!client.broken && lease.isClientSilent()) {
            // It is away, or stopped: nobody is to wait for each of its leases in turn.
            client.word = words.recall(client.sessionIndex);
            client.breakOff();
            leasesOf(client).forEach(this::end);
        }
    }

    private List<Lease> leasesOf(LeaseClient client) {
        List<Lease> his = new ArrayList<>();
        for (Long2ObjectHashMap<List<Lease>> table : List.of(attributes, names)) {
            table.values()
                    .forEach(leases -> leases.stream()
                            .filter(lease -> lease.client.equals(client))
                            .forEach(his::add));
        }
        return his;
    }

    /** Tells clients what they have to drop: all that the requests of this turn have found at once. */
    public int tell() {
        if (clients.isEmpty()) {
            return 0;
        }
        int done = 0;
        long now = clock.monotonicNanos();
        boolean checks = now - nextCheckNanos >= 0;
        if (checks) {
            nextCheckNanos = now + CHECK_NANOS;
        }
        for (LeaseClient client : clients.values()) {
            if (client.parked != null) {
                if (client.broken) {
                    answers.refuse(client);
                } else if (client.hasNews() || (checks && now - client.parkedUntilNanos >= 0)) {
                    answers.news(client);
                    done++;
                }
            }
        }
        return done;
    }

    private void remove(Lease lease) {
        if (lease.isOver()) {
            return;
        }
        lease.over();
        leaseCount--;
        Long2ObjectHashMap<List<Lease>> table = table(lease.kind);
        List<Lease> leases = table.get(lease.ino);
        leases.remove(lease);
        if (leases.isEmpty()) {
            table.remove(lease.ino);
        }
    }

    private Long2ObjectHashMap<List<Lease>> table(int kind) {
        return kind == LeaseKind.ATTRIBUTES ? attributes : names;
    }

    private static int cell(long ino) {
        return (int) ((ino * 0x9E37_79B9_7F4A_7C15L) >>> 32) & (QUIET_CELLS - 1);
    }

    // ------------------------------------------------------------------------------------------------ counts

    /** Leases that are not over. */
    public int size() {
        return leaseCount;
    }

    /** Leases granted so far. */
    public long granted() {
        return granted;
    }

    /** Recalls begun so far. */
    public long recalled() {
        return recalled;
    }

    /** Leases that ended by themselves, the client not having answered. */
    public long unanswered() {
        return unanswered;
    }
}
