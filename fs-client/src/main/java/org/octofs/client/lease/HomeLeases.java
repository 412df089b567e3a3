package org.octofs.client.lease;

import java.util.concurrent.locks.ReentrantLock;
import org.agrona.collections.Long2ObjectHashMap;
import org.octofs.client.client.ClientCounter;
import org.octofs.client.client.FsException;
import org.octofs.client.link.Links;
import org.octofs.client.link.RemotePool;
import org.octofs.client.link.ServerLink;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.LeaseTimes;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.LeaseKind;
import org.octofs.rpc.protocol.message.LeaseRequest;
import org.octofs.rpc.rpc.RpcCall;

/**
 * The leases of one home. They hold while this client's word there reads what the client was told last, over the connection by which it
 * was told; {@link RecallListener} does the listening, and calls {@link #begun}, {@link #recalled} and {@link #lost}.
 * Threading:  thread-safe; the lock is a leaf, held for moments.
 * Limits:     {@link #LEASES_MAX} of each kind; what is not kept any more is forgotten for more.
 */
final class HomeLeases {
    private static final int LEASES_MAX = 1 << 14;
    /** A kernel counts from when it gets round to an answer. */
    private static final long LATE_NANOS = LeaseTimes.PATIENCE_NANOS - LeaseTimes.TERM_NANOS;
    /** Less than this is not worth the kernel's time. */
    private static final long USEFUL_NANOS = LeaseTimes.TERM_NANOS / 2;

    private static final long REFUSED_NANOS = 50_000_000L;
    /** A look waits for a lease no longer than this: without one it is right, too. */
    private static final long ASK_NANOS = 20_000_000L;

    private final Leases owner;
    private final Links links;
    private final int node;
    private final ReentrantLock lock = new ReentrantLock();
    private final Long2ObjectHashMap<KeptLease> attributes = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<KeptLease> names = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<KeptName> namesOfInodes = new Long2ObjectHashMap<>();
    private final Looks looks = new Looks();
    private final Silence silence = new Silence();
    private RemotePool pool;
    private long word;
    private long wordOffset;
    private long events;
    private long lastUsedNanos;
    private boolean listening;

    HomeLeases(Leases owner, Links links, int node) {
        this.owner = owner;
        this.links = links;
        this.node = node;
        this.lastUsedNanos = links.nanoTime();
    }

    int node() {
        return node;
    }

    private ServerLink link() throws FsException {
        return links.node(node);
    }

    private Long2ObjectHashMap<KeptLease> leases(int kind) {
        return kind == LeaseKind.NAMES ? names : attributes;
    }

    // ------------------------------------------------------------------------------------------------ keeping

    /**
     * Whether what was read since {@code sinceNanos} may be kept by the kernel for {@link LeaseTimes#TERM_NANOS} from now. If so, the
     * answer counts as under way until {@link #answered}.
     */
    KeptLease arm(int kind, long ino, long sinceNanos) throws FsException {
        KeptLease lease = null;
        boolean asks = false;
        long now = links.nanoTime();
        RemotePool by;
        long expected;
        long at;
        lock.lock();
        try {
            by = pool;
            expected = word;
            at = wordOffset;
            lastUsedNanos = now;
            KeptLease known = leases(kind).get(ino);
            if (known == null || known.recalled) {
                asks = looks.again(key(kind, ino), now) && (known == null || !known.isKept(now));
            } else if (by != null && sinceNanos - known.grantedNanos >= 0 && sinceNanos - known.changedNanos > 0) {
                lease = known;
                lease.arming++;
            }
        } finally {
            lock.unlock();
        }
        if (lease == null) {
            if (asks) {
                ask(kind, ino, now + ASK_NANOS);
            }
            return null;
        }
        boolean valid = false;
        long start = links.nanoTime();
        try {
            // The pool is looked at on both sides: a connection that came meanwhile leads to another life, perhaps.
            valid = by.equals(link().poolIfUsable())
                    && owner.words().read(node, at) == expected
                    && by.equals(link().poolIfUsable());
        } finally {
            lock.lock();
            try {
                valid &= !lease.recalled;
                if (valid) {
                    lease.keptUntilNanos = later(lease.keptUntilNanos, start + LeaseTimes.TERM_NANOS + LATE_NANOS);
                } else {
                    lease.arming--;
                }
            } finally {
                lock.unlock();
            }
        }
        return valid ? lease : null;
    }

    /** The kernel has the answer. */
    void answered(KeptLease lease) {
        lock.lock();
        try {
            lease.arming--;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Asks the home for a lease; it is of use to what is read from then on. A home that is away or was silent is not asked.
     *
     * @return whether there is one now
     * @throws FsException EIO if there is no answer in time
     */
    boolean ask(int kind, long ino, long deadlineNanos) throws FsException {
        long before;
        RemotePool by;
        lock.lock();
        try {
            long now = links.nanoTime();
            before = events;
            by = pool;
            if (silence.lasts(now) || (leases(kind).size() >= LEASES_MAX && !forget(now))) {
                return false;
            }
        } finally {
            lock.unlock();
        }
        if (by == null) {
            owner.listen(this);
            return false;
        }
        if (!by.equals(link().poolIfUsable())) {
            return false;
        }
        int status = grant(kind, ino, deadlineNanos);
        long now = links.nanoTime();
        lock.lock();
        try {
            silence.end();
            KeptLease known = leases(kind).get(ino);
            boolean replaces = known == null || (known.recalled && !known.isKept(now));
            if (status != Errno.OK.value) {
                looks.notBefore(key(kind, ino), now + REFUSED_NANOS);
            } else if (before == events && by.equals(pool) && replaces) {
                // Nothing was recalled since it was asked for, so this was not either.
                leases(kind).put(ino, new KeptLease(this, kind, ino, now));
                links.counters().increment(ClientCounter.LEASES);
                return true;
            }
            return known != null && !known.recalled;
        } finally {
            lock.unlock();
        }
    }

    private int grant(int kind, long ino, long deadlineNanos) throws FsException {
        boolean answered = false;
        try (RpcCall call = link().begin(OpCode.LEASE, LeaseRequest.FIXED_BYTES, deadlineNanos)) {
            new LeaseRequest().wrap(call.request()).ino(ino).kind(kind).reserved(0);
            int status = link().exchange(call, LeaseRequest.FIXED_BYTES);
            answered = true;
            return status;
        } finally {
            if (!answered) {
                silent();
            }
        }
    }

    private void silent() {
        lock.lock();
        try {
            silence.begin(links.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    /** Forgets leases under which nothing is kept; the home may think that they hold. */
    private boolean forget(long now) {
        attributes.values().removeIf(lease -> !lease.isKept(now));
        names.values().removeIf(lease -> !lease.isKept(now));
        return attributes.size() < LEASES_MAX && names.size() < LEASES_MAX;
    }

    /** This client has changed an inode; true if the kernel may keep its attributes from before. */
    boolean changed(long ino) {
        lock.lock();
        try {
            KeptLease lease = attributes.get(ino);
            if (lease == null) {
                return false;
            }
            long now = links.nanoTime();
            lease.changedNanos = now;
            return lease.isKept(now);
        } finally {
            lock.unlock();
        }
    }

    /** Until when the kernel may keep something under a lease; now or earlier if it keeps nothing. */
    long keptUntil(int kind, long ino) {
        long now = links.nanoTime();
        lock.lock();
        try {
            KeptLease lease = leases(kind).get(ino);
            if (lease == null || !lease.isKept(now)) {
                return now;
            }
            return lease.arming > 0
                    ? later(lease.keptUntilNanos, now + LeaseTimes.TERM_NANOS + LATE_NANOS)
                    : lease.keptUntilNanos;
        } finally {
            lock.unlock();
        }
    }

    /** The kernel may keep something until then that no answer of ours has brought; false if there is no lease for it. */
    boolean keep(int kind, long ino, long untilNanos) {
        lock.lock();
        try {
            KeptLease lease = leases(kind).get(ino);
            if (pool == null || lease == null || lease.recalled) {
                return false;
            }
            lease.keptUntilNanos = later(lease.keptUntilNanos, untilNanos);
            return true;
        } finally {
            lock.unlock();
        }
    }

    // ------------------------------------------------------------------------------------------------ names of inodes

    /**
     * The kernel is about to keep a name of an inode whose attributes it keeps under a lease of this home.
     *
     * @return false if it keeps another one, or there are too many: then it must not keep this one
     */
    boolean keepsName(KeptLease attributesOf, long directory, byte[] name) {
        lock.lock();
        try {
            long now = links.nanoTime();
            KeptName known = namesOfInodes.get(attributesOf.ino);
            if (known == null || !known.isKept(now)) {
                if (known == null && namesOfInodes.size() >= LEASES_MAX) {
                    namesOfInodes.values().removeIf(other -> !other.isKept(now));
                    if (namesOfInodes.size() >= LEASES_MAX) {
                        return false;
                    }
                }
                known = known != null && known.is(directory, name) ? known : new KeptName(directory, name.clone(), now);
                namesOfInodes.put(attributesOf.ino, known);
            } else if (!known.is(directory, name)) {
                return false;
            }
            known.untilNanos = now + LeaseTimes.TERM_NANOS + LATE_NANOS;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** This client has moved an inode: what the kernel keeps of its name has come along, nobody here knows where to. */
    void moved(long ino) {
        lock.lock();
        try {
            KeptName known = namesOfInodes.get(ino);
            if (known != null) {
                namesOfInodes.put(ino, new KeptName(0, null, known.untilNanos));
            }
        } finally {
            lock.unlock();
        }
    }

    /** The name under which the kernel keeps an inode, null if it keeps none. */
    KeptName keptName(long ino) {
        lock.lock();
        try {
            KeptName known = namesOfInodes.get(ino);
            return known == null || !known.isKept(links.nanoTime()) ? null : known;
        } finally {
            lock.unlock();
        }
    }

    // ------------------------------------------------------------------------------------------------ listening

    /** Whether somebody has to begin to listen. */
    boolean startsListening() {
        lock.lock();
        try {
            boolean starts = !listening;
            listening = true;
            return starts;
        } finally {
            lock.unlock();
        }
    }

    void stoppedListening() {
        lock.lock();
        try {
            listening = false;
        } finally {
            lock.unlock();
        }
    }

    boolean isListening() {
        lock.lock();
        try {
            return listening;
        } finally {
            lock.unlock();
        }
    }

    /** When a lease was last thought of. */
    long lastUsedNanos() {
        lock.lock();
        try {
            return lastUsedNanos;
        } finally {
            lock.unlock();
        }
    }

    /** No lease holds any more. What the kernel keeps counts until it is over. */
    void lost() {
        lock.lock();
        try {
            events++;
            pool = null;
            attributes.values().forEach(lease -> lease.recalled = true);
            names.values().forEach(lease -> lease.recalled = true);
            forget(links.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    /** The home listens to us, over this connection. */
    void begun(RemotePool newPool, long newWord, long newWordOffset) {
        lock.lock();
        try {
            events++;
            pool = newPool;
            word = newWord;
            wordOffset = newWordOffset;
        } finally {
            lock.unlock();
        }
    }

    /** Nothing is kept from now on under a lease that the home takes back; null if there is none. */
    KeptLease recalled(int kind, long ino, long quietNanos) {
        lock.lock();
        try {
            events++;
            looks.notBefore(key(kind, ino), links.nanoTime() + quietNanos);
            KeptLease lease = leases(kind).get(ino);
            if (lease != null) {
                lease.recalled = true;
            }
            return lease;
        } finally {
            lock.unlock();
        }
    }

    /** After all recalls were noted that came with it. */
    void told(long newWord) {
        lock.lock();
        try {
            word = newWord;
        } finally {
            lock.unlock();
        }
    }

    boolean isArming(KeptLease lease) {
        lock.lock();
        try {
            return lease.arming > 0;
        } finally {
            lock.unlock();
        }
    }

    boolean isKept(KeptLease lease) {
        lock.lock();
        try {
            return lease.isKept(links.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    /** The kernel has dropped everything that it kept under a lease that was taken back. */
    void dropped(KeptLease lease) {
        lock.lock();
        try {
            leases(lease.kind).remove(lease.ino, lease);
        } finally {
            lock.unlock();
        }
    }

    private static long later(long a, long b) {
        return a - b > 0 ? a : b;
    }

    private static long key(int kind, long ino) {
        return kind == LeaseKind.NAMES ? ~ino : ino;
    }

    static long usefulNanos() {
        return USEFUL_NANOS;
    }
}
