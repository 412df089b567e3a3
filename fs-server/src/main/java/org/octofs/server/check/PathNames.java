package org.octofs.server.check;

import java.util.ArrayList;
import java.util.List;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.server.namespace.DentryLayout;

/**
 * Paths of inodes, for messages: from the names that were found. What is found before the names are known waits.
 * Threading: confined to the check.
 */
final class PathNames {
    private static final int DEPTH_MAX = 4096;
    private static final int LATER_MAX = 10_000;

    private final Cluster cluster;
    private final InodeIndex index;
    private final List<Runnable> later = new ArrayList<>();
    private boolean known;

    PathNames(Cluster cluster, InodeIndex index) {
        this.cluster = cluster;
        this.index = index;
    }

    /** Runs when names are known; at once if they are. */
    void later(Runnable report) {
        if (known || later.size() >= LATER_MAX) {
            report.run();
        } else {
            later.add(report);
        }
    }

    /** All names were read. */
    void known() {
        known = true;
        later.forEach(Runnable::run);
        later.clear();
    }

    /** An inode for the user: its path if it has one, and its number. */
    String name(long ino) {
        String path = path(ino);
        return path.isEmpty() ? Cluster.name(ino) : path + " (" + Cluster.name(ino) + ")";
    }

    /** One path of an inode; empty if it has none. */
    String path(long ino) {
        if (ino == InodeNumber.ROOT) {
            return "/";
        }
        StringBuilder path = new StringBuilder();
        long at = ino;
        for (int depth = 0; depth < DEPTH_MAX; depth++) {
            if (at == InodeNumber.ROOT) {
                return path.toString();
            }
            int place = index.find(at);
            if (place < 0 || index.name(place) == 0) {
                return path.isEmpty() ? "" : "..." + path;
            }
            long name = index.name(place);
            PoolView pool = cluster.pool((int) (name >>> 32));
            long slot = pool.slotOffset((int) name);
            path.insert(0, "/" + pool.dentryName(slot));
            at = pool.readLong(slot + DentryLayout.PARENT_OFFSET);
        }
        return "..." + path;
    }

    /** A name in a directory, for the user. */
    String entry(PoolView pool, long dentryOffset) {
        long parent = pool.readLong(dentryOffset + DentryLayout.PARENT_OFFSET);
        String directory = parent == InodeNumber.ROOT ? "" : path(parent);
        if (directory.isEmpty() && parent != InodeNumber.ROOT) {
            directory = "directory " + Cluster.name(parent) + " ";
        }
        return directory + "/" + pool.dentryName(dentryOffset);
    }
}
