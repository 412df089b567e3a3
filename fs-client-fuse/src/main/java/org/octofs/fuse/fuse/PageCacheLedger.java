package org.octofs.fuse.fuse;

import java.util.concurrent.ConcurrentHashMap;
import org.octofs.client.client.OpenFile;

/**
 * What version of each file the kernel's page cache may hold, so that an open of an unchanged file keeps its pages.
 *
 * <p>Bounded by what the kernel knows: an inode that it forgets has no pages, and its entry goes.
 * Threading: any thread.
 */
final class PageCacheLedger {
    private final ConcurrentHashMap<Long, Long> generations = new ConcurrentHashMap<>();

    /**
     * Notes an open that will read through the page cache.
     *
     * @param generation changes whenever somebody else has changed the file's data
     * @return true if the pages that are there are of that generation
     */
    boolean opened(long inode, long generation) {
        Long before = generations.put(inode, generation);
        return before != null && before == generation;
    }

    /** Whether the pages are of what the client has seen of the file last. */
    boolean areOf(OpenFile file) {
        Long noted = generations.get(file.ino());
        return noted != null && noted == file.generation();
    }

    /** What the pages may be of, for {@link #dropped}; null if they are not to be trusted. */
    Long generation(long inode) {
        return generations.get(inode);
    }

    /** The kernel has dropped all pages: new ones are of {@code generation} or later, if nothing was noted since {@code before} was. */
    void dropped(long inode, Long before, long generation) {
        if (before != null) {
            generations.replace(inode, before, generation);
        }
    }

    /** Inodes that are noted. */
    int count() {
        return generations.size();
    }

    /** The pages are not to be trusted at the next open, or are gone. */
    void drop(long inode) {
        generations.remove(inode);
    }
}
