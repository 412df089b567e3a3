package org.octofs.server.namespace;

import org.agrona.collections.LongHashSet;

/**
 * Inodes with no name left that still exist, because somebody has them open or because freeing them takes several steps. On
 * media they are simply the inodes with a link count of 0.
 * Threading:  confined to the worker.
 */
public final class OrphanList {
    private final LongHashSet orphans = new LongHashSet(0);
    private final LongHashSet ready = new LongHashSet(0);

    /** An inode has lost its last name; {@code closed} if nobody has it open. */
    public void add(long ino, boolean closed) {
        orphans.add(ino);
        if (closed) {
            ready.add(ino);
        }
    }

    /** Nobody has the inode open any more: if it is an orphan, it may be freed. */
    public void closed(long ino) {
        if (orphans.contains(ino)) {
            ready.add(ino);
        }
    }

    /** An orphan was opened again, or an earlier open was told again. */
    public void opened(long ino) {
        ready.remove(ino);
    }

    public boolean contains(long ino) {
        return orphans.contains(ino);
    }

    /** The orphan was freed, or has got a name again. */
    public void remove(long ino) {
        orphans.remove(ino);
        ready.remove(ino);
    }

    /** One that may be freed now, 0 if there is none. */
    public long nextReady() {
        return ready.isEmpty() ? 0 : ready.iterator().nextValue();
    }

    public int size() {
        return orphans.size();
    }
}
