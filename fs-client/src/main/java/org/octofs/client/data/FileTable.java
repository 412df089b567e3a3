package org.octofs.client.data;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.agrona.collections.Long2ObjectHashMap;
import org.octofs.client.link.Links;

/**
 * The files that are or were open here: one state per inode, counted by handles. Those without handles are kept for a
 * while, so that opening one again finds its map.
 *
 * <p>Threading: thread-safe; its lock is a leaf and guards the map and the handle counts.
 */
final class FileTable {
    private final Links links;
    private final int idleMax;
    private final ReentrantLock lock = new ReentrantLock();
    private final Long2ObjectHashMap<FileState> files = new Long2ObjectHashMap<>();
    private final LinkedHashMap<Long, FileState> idle = new LinkedHashMap<>();

    FileTable(Links links) {
        this.links = links;
        this.idleMax = links.config().idleFilesMax();
    }

    /** The state of an inode, with one handle more; the caller gives it back with {@link #release}. */
    FileState acquire(long ino) {
        lock.lock();
        try {
            FileState file = files.get(ino);
            if (file == null) {
                file = new FileState(ino, links.homeOf(ino));
                files.put(ino, file);
            } else if (file.handles == 0) {
                idle.remove(ino);
            }
            file.handles++;
            return file;
        } finally {
            lock.unlock();
        }
    }

    /** The state of an inode that may have uncommitted writes, with one handle more; null if there is none. */
    FileState acquireIfKnown(long ino) {
        lock.lock();
        try {
            FileState file = files.get(ino);
            if (file == null) {
                return null;
            }
            if (file.handles++ == 0) {
                idle.remove(ino);
            }
            return file;
        } finally {
            lock.unlock();
        }
    }

    /** Takes a handle back; true if it was the last. */
    boolean release(FileState file) {
        lock.lock();
        try {
            if (--file.handles > 0) {
                return false;
            }
            idle.put(file.ino, file);
            evict();
            return true;
        } finally {
            lock.unlock();
        }
    }

    boolean hasHandles(FileState file) {
        lock.lock();
        try {
            return file.handles > 0;
        } finally {
            lock.unlock();
        }
    }

    /** Forgets a file that is gone, if nobody has it open. */
    void forget(long ino) {
        lock.lock();
        try {
            FileState file = files.get(ino);
            if (file != null && file.handles == 0 && file.registrationsAtMost() == 0) {
                files.remove(ino);
                idle.remove(ino);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Files with an open that is registered at their home. */
    List<FileState> registered(int homeNode) {
        List<FileState> found = new ArrayList<>();
        for (FileState file : all()) {
            if (file.homeNode == homeNode && file.registrationsAtMost() > 0) {
                found.add(file);
            }
        }
        return found;
    }

    /** All files, at the moment. */
    List<FileState> all() {
        lock.lock();
        try {
            return new ArrayList<>(files.values());
        } finally {
            lock.unlock();
        }
    }

    private void evict() {
        Iterator<FileState> oldest = idle.values().iterator();
        while (idle.size() > idleMax && oldest.hasNext()) {
            FileState file = oldest.next();
            // One whose close is on its way leaves the next time.
            if (!file.dirty && file.registrationsAtMost() == 0) {
                oldest.remove();
                files.remove(file.ino);
            }
        }
    }
}
