package org.octofs.client.cache;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Names of directories, present and absent.
 *
 * <p>A directory here has an interval of versions [from, to]: an entry learned at a version in it holds at {@code to}.
 * The interval grows when this client itself changes one entry and the directory's version went up by exactly that one
 * change; any other version starts a new interval, which makes the older entries worthless. An entry is used only after
 * its user has read the directory's version word and found {@code to}.
 *
 * <p>Threading: thread-safe, one lock, held for a map access. Limits: a number of entries; the directory that was not
 * used for longest goes first, with all its entries.
 */
public final class DentryCache {
    /**
     * As a version: the answer is from a record of what was done before, or nothing was to be done. Others may have changed the name
     * since, so it is forgotten.
     */
    public static final long NO_NEWS = 0;

    /** What one change adds to a version. */
    private static final long VERSION_STEP = 2;

    private final ReentrantLock lock = new ReentrantLock();
    private final LinkedHashMap<Long, Directory> directories = new LinkedHashMap<>(64, 0.75f, true);
    private final int entriesMax;
    private int entries;

    /** An empty cache of at most {@code entriesMax} names. */
    public DentryCache(int entriesMax) {
        this.entriesMax = entriesMax;
    }

    /**
     * A remembered name.
     *
     * @param ino inode number, 0 = the name is absent
     * @param type S_IFMT bits
     * @param version of the directory at which this must still be checked
     */
    public record Dentry(long ino, int type, long version) {
        /** Whether the name is known to be absent. */
        public boolean isAbsent() {
            return ino == 0;
        }
    }

    private record Entry(long ino, int type, long version) {}

    private static final class Directory {
        private long from;
        private long to;
        private final Map<Name, Entry> names = new HashMap<>();

        Directory(long version) {
            from = version;
            to = version;
        }
    }

    private static final class Name {
        private final byte[] bytes;

        Name(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Name name && Arrays.equals(bytes, name.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }
    }

    /** What is known of a name, null if nothing. Valid if the directory's version word is the dentry's version. */
    public Dentry get(long parent, byte[] name) {
        lock.lock();
        try {
            Directory directory = directories.get(parent);
            if (directory == null) {
                return null;
            }
            Entry entry = directory.names.get(new Name(name));
            if (entry == null || entry.version < directory.from || entry.version > directory.to) {
                return null;
            }
            return new Dentry(entry.ino, entry.type, directory.to);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Remembers what a home said.
     *
     * @param version of the directory when it held; {@link #NO_NEWS}
     */
    public void learned(long parent, byte[] name, long ino, int type, long version) {
        if (version == NO_NEWS) {
            forget(parent, name);
            return;
        }
        lock.lock();
        try {
            Directory directory = directoryAt(parent, version);
            // Learned before something that we know has happened: it may no longer hold.
            if (version == directory.to) {
                put(directory, name, new Entry(ino, type, version));
            }
            evict();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Remembers a change of one name that this client has made.
     *
     * @param ino what the name stands for now, 0 = nothing
     * @param version of the directory after the change; {@link #NO_NEWS}
     */
    public void changed(long parent, byte[] name, long ino, int type, long version) {
        if (version == NO_NEWS) {
            forget(parent, name);
            return;
        }
        lock.lock();
        try {
            Directory directory = directories.get(parent);
            if (directory != null && version == directory.to + VERSION_STEP) {
                directory.to = version;
            } else {
                directory = directoryAt(parent, version);
            }
            if (version == directory.to) {
                put(directory, name, new Entry(ino, type, version));
            } else {
                drop(directory, name);
            }
            evict();
        } finally {
            lock.unlock();
        }
    }

    /** Remembers that this client has changed one name, without knowing to what. */
    public void changedSomehow(long parent, byte[] name, long version) {
        attributesChanged(parent, version);
        forget(parent, name);
    }

    /** Remembers that this client has changed the directory but no entry (its mode, say). */
    public void attributesChanged(long ino, long version) {
        lock.lock();
        try {
            Directory directory = directories.get(ino);
            if (directory != null && version == directory.to + VERSION_STEP) {
                directory.to = version;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Forgets a name. */
    public void forget(long parent, byte[] name) {
        lock.lock();
        try {
            Directory directory = directories.get(parent);
            if (directory != null) {
                drop(directory, name);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Forgets a directory. */
    public void forgetDirectory(long ino) {
        lock.lock();
        try {
            Directory directory = directories.remove(ino);
            if (directory != null) {
                entries -= directory.names.size();
            }
        } finally {
            lock.unlock();
        }
    }

    private Directory directoryAt(long parent, long version) {
        Directory directory = directories.get(parent);
        if (directory == null) {
            directory = new Directory(version);
            directories.put(parent, directory);
        } else if (version > directory.to) {
            entries -= directory.names.size();
            directory.names.clear();
            directory.from = version;
            directory.to = version;
        }
        return directory;
    }

    private void put(Directory directory, byte[] name, Entry entry) {
        if (directory.names.put(new Name(name.clone()), entry) == null) {
            entries++;
        }
    }

    private void drop(Directory directory, byte[] name) {
        if (directory.names.remove(new Name(name)) != null) {
            entries--;
        }
    }

    private void evict() {
        Iterator<Directory> oldest = directories.values().iterator();
        while (entries > entriesMax && oldest.hasNext()) {
            Directory directory = oldest.next();
            entries -= directory.names.size();
            oldest.remove();
        }
    }
}
