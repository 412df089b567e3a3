package org.octofs.client.lease;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import org.octofs.client.client.FsException;
import org.octofs.client.link.Links;
import org.octofs.client.link.ServerLink;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.LeaseTimes;
import org.octofs.rpc.protocol.message.LeaseKind;
import org.octofs.rpc.protocol.message.RecallFlags;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says how long a kernel may keep what it is answered. Off, it says "not at all", until {@link #start}.
 *
 * <p>Something may be kept for a term when the home has granted a lease on it before it was read, and has recalled nothing of which this
 * client does not know, which one word in the home's pool tells, read after it. Before others change it, the home has the client have the
 * kernel drop it ({@link RecallListener}), or waits until the term is over. Leases are asked for at the second look within seconds.
 *
 * <p>This client's own changes are recalled by nobody: the kernel knows of them. What it does not handle by itself is done by
 * {@link #changed} and {@link #namesChange}: answers that were made before such a change and that it looks at after it.
 * Threading:  any thread. Hot paths allocate nothing.
 */
public final class Leases implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Leases.class);
    private static final long GOODBYE_NANOS = 1_000_000_000L;
    /** An answer that takes longer than this to get to the kernel is taken back. */
    private static final long LATE_NANOS = LeaseTimes.TERM_NANOS / 4;
    /** A call whose answer did not come in time is given up by the server, too, long before this. */
    private static final long UNKNOWN_NANOS = 300_000_000_000L;

    /** Names are not kept for so long where they could not be taken along to another directory. */
    private static final long REFUSED_TARGET_NANOS = 30_000_000_000L;

    private final Links links;
    private final ThreadFactory threads;
    private final long quietNanos;
    private final WordReader words;
    private final HomeLeases[] homes;
    private final OwnNameChanges own;
    private volatile KernelCache kernel;
    private volatile boolean nothingKept;
    private volatile boolean closed;

    /** Leases of nothing so far. */
    public Leases(Links links) {
        this.links = links;
        this.threads = links.config().threads();
        this.quietNanos = links.config().leaseQuiet().toNanos();
        this.words = new WordReader(links);
        this.own = new OwnNameChanges(links.nanoTime());
        this.homes = new HomeLeases[links.nodeCount()];
        for (int node = 0; node < homes.length; node++) {
            homes[node] = new HomeLeases(this, links, node);
        }
    }

    /** From now on the kernel may keep things. Once. */
    public void start(KernelCache cache) {
        kernel = cache;
    }

    /** Whether a kernel may keep anything. */
    public boolean isOn() {
        return kernel != null && !closed;
    }

    /** The kernel is gone, or keeps nothing any more, and will not. */
    public void stop() {
        nothingKept = kernel != null;
        kernel = null;
    }

    KernelCache kernel() {
        KernelCache current = kernel;
        return current == null ? KernelCache.EMPTY : current;
    }

    WordReader words() {
        return words;
    }

    long quietNanos() {
        return quietNanos;
    }

    boolean isClosed() {
        return closed || kernel == null;
    }

    void listen(HomeLeases home) {
        if (!isClosed() && home.startsListening()) {
            threads.newThread(new RecallListener(this, home, links, threads)).start();
        }
    }

    // ------------------------------------------------------------------------------------------------ answers

    /** Before anything is read for an answer. */
    public void begin(Arming arming) {
        // One that was made on the way to another answer, and went nowhere.
        answered(arming);
        arming.sinceNanos = links.nanoTime();
    }

    /**
     * How long a name that was found may be kept, nanoseconds; 0 = not at all.
     *
     * @param arming begun before the name was looked up
     */
    public long names(Arming arming, long directory, byte[] name) {
        if (!isOn() || own.since(directory, arming.sinceNanos)) {
            return 0;
        }
        long start = links.nanoTime();
        KeptLease lease = arm(LeaseKind.NAMES, directory, arming);
        if (lease == null) {
            return 0;
        }
        arming.names = lease;
        arming.name = name;
        arming.armedNanos = start;
        if (own.since(directory, arming.sinceNanos)) {
            forgo(arming);
            return 0;
        }
        return left(start);
    }

    private void forgo(Arming arming) {
        arming.names.home.answered(arming.names);
        arming.names = null;
    }

    /**
     * How long attributes that were read may be kept, nanoseconds; 0 = not at all.
     *
     * @param arming begun before they were read
     */
    public long attributes(Arming arming, long ino) {
        if (!isOn()) {
            return 0;
        }
        long start = links.nanoTime();
        KeptLease lease = arm(LeaseKind.ATTRIBUTES, ino, arming);
        if (lease == null) {
            return 0;
        }
        arming.attributes = lease;
        arming.armedNanos = arming.names == null ? start : arming.armedNanos;
        return left(start);
    }

    /**
     * Whether the name may be kept, too, after {@link #names} and {@link #attributes} have allowed it: only with the attributes of what it
     * stands for, whose owner and mode the kernel judges by for as long as it keeps the name, and only one name of an inode.
     */
    public boolean mayKeepName(Arming arming) {
        if (arming.names == null) {
            return false;
        }
        KeptLease attributes = arming.attributes;
        if (attributes == null || !attributes.home.keepsName(attributes, arming.names.ino, arming.name)) {
            forgo(arming);
            return false;
        }
        return true;
    }

    private KeptLease arm(int kind, long ino, Arming arming) {
        try {
            return homes[links.homeOf(ino)].arm(kind, ino, arming.sinceNanos);
        } catch (FsException e) {
            // The answer is right; it is only not kept.
            LOG.debug("no lease on inode {}: {}", ino, e.getMessage());
            return null;
        }
    }

    private long left(long start) {
        long left = LeaseTimes.TERM_NANOS - (links.nanoTime() - start);
        // The answer goes out in a moment; what took so long may take long again.
        return left < HomeLeases.usefulNanos() ? 0 : left;
    }

    /** The kernel was given the answer, or none. */
    public void answered(Arming arming) {
        if (!arming.isArmed()) {
            return;
        }
        boolean late = links.nanoTime() - arming.armedNanos > LATE_NANOS;
        KeptLease attributes = arming.attributes;
        KeptLease names = arming.names;
        arming.attributes = null;
        arming.names = null;
        if (attributes != null) {
            if (late) {
                kernel().dropAttributes(attributes.ino);
            }
            attributes.home.answered(attributes);
        }
        if (names != null) {
            if (late) {
                byte[] name = arming.name;
                threads.newThread(() -> {
                            kernel().dropName(names.ino, name);
                            names.home.answered(names);
                        })
                        .start();
            } else {
                names.home.answered(names);
            }
        }
    }

    // ------------------------------------------------------------------------------------------------ own changes

    /** This client has given an inode another name; before whoever asked for it is answered. */
    public void moved(long ino) {
        if (kernel != null) {
            homes[links.homeOf(ino)].moved(ino);
        }
    }

    /** This client has changed an inode at its home; before whoever asked for it is answered. */
    public void changed(long ino) {
        KernelCache current = kernel;
        if (current != null && homes[links.homeOf(ino)].changed(ino)) {
            current.dropAttributes(ino);
        }
    }

    /**
     * Names of a directory are about to be removed, or to be moved to another one (or the same), or to be swapped; {@link
     * #namesChanged} follows. What the kernel keeps of a moved name it takes along, so there has to be a lease on the names of where
     * it comes to, or nothing may be kept.
     *
     * @return whether {@link #namesChanged} has to follow, whatever becomes of it
     */
    public boolean namesChange(long source, long target, boolean bothWays) throws FsException {
        if (kernel == null) {
            return false;
        }
        own.begin(source);
        own.begin(target);
        boolean success = source == target;
        try {
            if (!success) {
                takeAlong(source, target);
                if (bothWays) {
                    takeAlong(target, source);
                }
                success = true;
            }
            return true;
        } finally {
            if (!success) {
                namesChanged(source, target);
            }
        }
    }

    private void takeAlong(long source, long target) throws FsException {
        HomeLeases from = homes[links.homeOf(source)];
        HomeLeases to = homes[links.homeOf(target)];
        long until = from.keptUntil(LeaseKind.NAMES, source);
        if (until - links.nanoTime() <= 0
                || to.keep(LeaseKind.NAMES, target, until)
                || (isGranted(to, target, until) && to.keep(LeaseKind.NAMES, target, until))) {
            return;
        }
        // Only the first of many such moves is to wait.
        from.recalled(LeaseKind.NAMES, source, REFUSED_TARGET_NANOS);
        for (long left = until - links.nanoTime(); left > 0; left = until - links.nanoTime()) {
            LockSupport.parkNanos(left);
            if (Thread.currentThread().isInterrupted()) {
                throw new FsException(Errno.EINTR);
            }
        }
    }

    /** Waits for it no longer than it would take without it. */
    private static boolean isGranted(HomeLeases home, long directory, long untilNanos) {
        try {
            return home.ask(LeaseKind.NAMES, directory, untilNanos);
        } catch (FsException e) {
            LOG.debug("no lease on the names of {}: {}", directory, e.getMessage());
            return false;
        }
    }

    /** A change of names has failed, and may be carried out at any later time: nothing of these directories is kept for long. */
    public void outcomeUnknown(long source, long target) {
        if (kernel != null) {
            for (long directory : new long[] {source, target}) {
                HomeLeases home = homes[links.homeOf(directory)];
                home.recalled(LeaseKind.NAMES, directory, UNKNOWN_NANOS);
                home.recalled(LeaseKind.ATTRIBUTES, directory, UNKNOWN_NANOS);
            }
        }
    }

    /** The change is over, done or not. */
    public void namesChanged(long source, long target) {
        long now = links.nanoTime();
        own.end(source, now);
        own.end(target, now);
    }

    // ------------------------------------------------------------------------------------------------ the end

    /** Gives leases back, if nothing is kept any more. What is under way ends with the connections. */
    @Override
    public void close() {
        boolean says = nothingKept && !closed;
        closed = true;
        if (says) {
            for (HomeLeases home : homes) {
                home.lost();
                if (home.isListening()) {
                    giveBack(home);
                }
            }
        }
    }

    private void giveBack(HomeLeases home) {
        try {
            ServerLink link = links.node(home.node());
            if (!link.isConnected()) {
                return;
            }
            RecallListener.tell(link, RecallFlags.BEGIN | RecallFlags.NOTHING_KEPT, links.nanoTime() + GOODBYE_NANOS);
        } catch (FsException e) {
            LOG.debug("leases of node {} were not given back: {}", home.node(), e.getMessage());
        }
    }
}
