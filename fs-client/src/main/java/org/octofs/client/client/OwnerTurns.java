package org.octofs.client.client;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.octofs.client.link.Links;
import org.octofs.rpc.protocol.Errno;

/**
 * What one owner does to its locks on one inode happens one after the other, at the home and in {@link HeldLocks} alike. Without that
 * order an unlock (of a close, say) that crosses a lock leaves the home with a lock that nobody here knows of.
 *
 * <p>Threading: any thread. Bounded by the calls under way.
 */
final class OwnerTurns {
    private record Key(long ino, long owner, int flags) {}

    private static final class Turn {
        final ReentrantLock lock = new ReentrantLock();

        /** Who has it or waits for it. Changed within the map's compute only. */
        int users;
    }

    /** What is done in a turn. */
    @FunctionalInterface
    interface Work<T> {
        T run() throws FsException;
    }

    private final ConcurrentHashMap<Key, Turn> turns = new ConcurrentHashMap<>();
    private final Links links;

    OwnerTurns(Links links) {
        this.links = links;
    }

    /** Runs {@code work} when no other work of the owner is under way. Errors: EIO if that takes longer than a call may. */
    <T> T take(long ino, long owner, int flags, Work<T> work) throws FsException {
        Key key = new Key(ino, owner, flags);
        Turn turn = turns.compute(key, (_, there) -> {
            Turn mine = there == null ? new Turn() : there;
            mine.users++;
            return mine;
        });
        try {
            lock(turn, ino);
            try {
                return work.run();
            } finally {
                turn.lock.unlock();
            }
        } finally {
            turns.compute(key, (_, there) -> --there.users == 0 ? null : there);
        }
    }

    /** An interrupt is left for whoever waits for locks of others: this wait is for an answer that is under way. */
    private void lock(Turn turn, long ino) throws FsException {
        if (turn.lock.tryLock()) {
            return;
        }
        long deadline = links.deadline();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    if (turn.lock.tryLock(deadline - links.nanoTime(), TimeUnit.NANOSECONDS)) {
                        return;
                    }
                    throw new FsException(
                            Errno.EIO, "a lock of inode " + ino + " was asked for longer than an operation may take");
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
