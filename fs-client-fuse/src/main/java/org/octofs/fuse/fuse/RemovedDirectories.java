package org.octofs.fuse.fuse;

import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.octofs.client.client.AttributeChange;
import org.octofs.client.client.Attributes;
import org.octofs.rpc.protocol.UnixTime;

/**
 * Directories that were removed through this mount while the kernel still knows them: somebody has one open, or works in it; and
 * those that another mount has removed and that are open here.
 * For their users they go on as on a local file system: empty for ever, with no name, and with attributes that can be read.
 * The home has forgotten them.
 *
 * <p>Bounded by what the kernel knows: an inode that it forgets goes. Thread-safe.
 */
final class RemovedDirectories {
    private final LongSupplier clock;
    private final ConcurrentHashMap<Long, Attributes> removed = new ConcurrentHashMap<>();

    RemovedDirectories(LongSupplier clock) {
        this.clock = clock;
    }

    /** Notes a removed directory; {@code last} is what it was like before. */
    void add(Attributes last) {
        long now = clock.getAsLong();
        removed.put(last.ino(), last.removed(UnixTime.seconds(now), UnixTime.nanos(now)));
    }

    /** The kernel has forgotten it. */
    void forget(long inode) {
        if (!removed.isEmpty()) {
            removed.remove(inode);
        }
    }

    int count() {
        return removed.size();
    }

    boolean contains(long inode) {
        return !removed.isEmpty() && removed.containsKey(inode);
    }

    /** Its attributes; null if it is none of these. */
    Attributes find(long inode) {
        return removed.isEmpty() ? null : removed.get(inode);
    }

    /** Changes what it shows; false if it is none of these. */
    boolean change(long inode, AttributeChange change) {
        if (removed.isEmpty()) {
            return false;
        }
        long now = clock.getAsLong();
        return removed.computeIfPresent(
                        inode, (_, last) -> last.changed(change, UnixTime.seconds(now), UnixTime.nanos(now)))
                != null;
    }
}
