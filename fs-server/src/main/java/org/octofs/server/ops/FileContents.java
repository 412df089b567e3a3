package org.octofs.server.ops;

import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;

/**
 * The seam to the blocks of files. Namespace operations only need to give them back and, at recovery, to have them counted.
 * Threading: confined to the worker.
 */
public interface FileContents {
    /** For a server whose files have no blocks. */
    FileContents NONE = (tx, inode) -> true;

    /**
     * Stages the release of blocks and map pages of a regular file that nobody can open any more. Bounded work: frees at
     * most some thousand blocks; called again in further transactions until it answers true.
     *
     * @param inode staged image; its map and size are changed to what is left
     * @return true when nothing is left in the map
     */
    boolean release(MetaTransaction tx, InodeRecord inode);

    /** Recovery walks the inodes: marks blocks and map pages of one regular file as used. */
    default void recover(InodeRecord inode) {}

    /** Recovery has seen every inode. */
    default void recovered() {}

    /**
     * Some work in the background: segments to fetch or to give back.
     *
     * @param nowNanos when the worker's turn began
     * @return how much was done
     */
    default int doWork(long nowNanos) {
        return 0;
    }

    /** Blocks of this node's data zone; for STATFS. */
    default long totalBlocks() {
        return 0;
    }

    /** Blocks that this server knows no file to reference, on whatever node. */
    default long freeBlocks() {
        return 0;
    }

    /**
     * Those of one node's data zone. Summed over all servers that is what is free there: a node does not know what others
     * have free in the segments that they own of it. Blocks of deleted files count once they have been freed.
     */
    default long freeBlocks(int node) {
        return 0;
    }

    /** A client is about to end its session, after its last store: what was lent to it is free, durably, when this returns. */
    default void clientLeft(long clientId) {}

    /** A client's session is over, which it did not say: what was lent to it comes back by and by, when its nodes are fenced. */
    default void clientGone(long clientId) {}
}
