package org.octofs.server.namespace;

import java.util.ArrayDeque;
import java.util.function.LongSupplier;
import org.agrona.collections.LongHashSet;

/**
 * Inodes with no name left that still exist: because somebody has them open, because freeing them takes several steps, or
 * because they have only just lost it. On media they are simply the inodes with a link count of 0.
 *
 * <p>They linger for a moment, since a client that has looked a name up opens the inode it was told with its next call: on
 * a local file system the lookup holds the inode, here nothing does, and a file that is replaced all the time could never
 * be opened reliably.
 * Threading:  confined to the worker.
 */
public final class OrphanList {
    private record Ready(long ino, long atNanos) {}

    private final LongSupplier clock;
    private final LongHashSet orphans = new LongHashSet(0);
    private final LongHashSet ready = new LongHashSet(0);
    private final ArrayDeque<Ready> queue = new ArrayDeque<>();
    private long lingerNanos;
    private boolean hurried;
    private boolean held;
    private long begun;

    /** An empty list; {@code clock} is monotonic, in nanoseconds. */
    public OrphanList(LongSupplier clock) {
        this.clock = clock;
    }

    /** Sets how long a file without a name may still be opened; 0 at first. */
    public void linger(long nanos) {
        lingerNanos = nanos;
    }

    /** Whether a file stays for a while when its last name goes, though nobody is known to have it open. */
    public boolean isLingering() {
        return lingerNanos > 0 || held;
    }

    /** After a restart, until all clients have told what they have open: nobody knows which files nobody has open. */
    public void hold(boolean value) {
        held = value;
    }

    /** An inode has lost its last name; {@code closed} if nobody has it open. */
    public void add(long ino, boolean closed) {
        orphans.add(ino);
        if (closed) {
            makeReady(ino);
        }
    }

    /** Nobody has the inode open any more: if it is an orphan, it may be freed. */
    public void closed(long ino) {
        if (orphans.contains(ino)) {
            makeReady(ino);
        }
    }

    /** An orphan was opened again, or an earlier open was told again. */
    public void opened(long ino) {
        ready.remove(ino);
    }

    /** Whether an orphan that nobody has open is still whole: {@link #nextReady} has not answered it yet. */
    public boolean isWhole(long ino) {
        return ready.contains(ino) && ino != begun;
    }

    public boolean contains(long ino) {
        return orphans.contains(ino);
    }

    /** The orphan was freed, or has got a name again. */
    public void remove(long ino) {
        orphans.remove(ino);
        ready.remove(ino);
    }

    /** Space is short: those that only linger are freed at once. Answers whether there are any. */
    public boolean hurry() {
        hurried = !ready.isEmpty();
        return hurried;
    }

    /** One that may be freed now, 0 if there is none. */
    public long nextReady() {
        while (!queue.isEmpty()) {
            Ready next = queue.peek();
            if (!ready.contains(next.ino)) {
                queue.poll();
            } else if (hurried || clock.getAsLong() - next.atNanos >= 0) {
                begun = next.ino;
                return next.ino;
            } else {
                return 0;
            }
        }
        hurried = false;
        return 0;
    }

    public int size() {
        return orphans.size();
    }

    private void makeReady(long ino) {
        if (ready.add(ino)) {
            queue.add(new Ready(ino, clock.getAsLong() + lingerNanos));
        }
    }
}
