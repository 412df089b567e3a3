package org.octofs.server.ops;

import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.server.store.DeferredAction;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;

/**
 * The side effects that POSIX asks for, staged: what a new inode looks like, what a change of an entry does to the
 * directory, what the loss of a name does to an inode. Used by every operation that changes names, here and in
 * transactions over several homes.
 * Threading: confined to the worker.
 */
public final class InodeChanges {
    /** Most names of a file and most subdirectories of a directory (less two). */
    public static final int LINK_MAX = 65_000;

    /** What stat says of a directory's size. */
    private static final long DIRECTORY_SIZE_BYTES = 4096;

    private final ServerState state;
    private final DeferredAction orphaned = this::orphaned;
    private final DeferredAction named = this::named;

    /** Changes to the inodes of a server. */
    public InodeChanges(ServerState state) {
        this.state = state;
    }

    /**
     * Fills a new inode but for what only its type knows. Time stamps are those of the transaction.
     *
     * @param parent image of its directory, from which the group may come
     */
    public void initialise(InodeRecord inode, InodeRecord parent, int mode, int uid, int gid, long rdev) {
        boolean inherits = (parent.mode() & FileMode.SET_GID) != 0;
        boolean directory = FileMode.isDirectory(mode);
        int fullMode = mode & (FileMode.TYPE_MASK | FileMode.PERMISSIONS);
        inode.mode(inherits && directory ? fullMode | FileMode.SET_GID : fullMode)
                .nlink(directory ? 2 : 1)
                .putInt(InodeLayout.UID_OFFSET, uid)
                .putInt(InodeLayout.GID_OFFSET, inherits ? parent.gid() : gid)
                .putLong(InodeLayout.RDEV_OFFSET, rdev);
        if (directory) {
            inode.parent(parent.ino()).sizeBytes(DIRECTORY_SIZE_BYTES);
        }
        long seconds = state.nowSeconds();
        int nanos = state.nowNanos();
        inode.atime(seconds, nanos).mtime(seconds, nanos).ctime(seconds, nanos).btime(seconds, nanos);
    }

    /**
     * A new file stays without a name: it ends when nobody has it open.
     *
     * @param linkable it may get a name by {@link #nameGained}
     */
    public void leaveUnnamed(MetaTransaction tx, InodeRecord inode, boolean linkable) {
        inode.nlink(0).flags(linkable ? inode.flags() | InodeLayout.FLAG_LINKABLE : inode.flags());
        tx.afterCommit(orphaned, inode.ino(), 0);
    }

    /** A file has got one more name. One that had none is no orphan any more, once that is durable. */
    public void nameGained(MetaTransaction tx, InodeRecord inode) {
        inode.nlink(inode.nlink() + 1).flags(inode.flags() & ~InodeLayout.FLAG_LINKABLE);
        touch(inode);
        tx.afterCommit(named, inode.ino(), 0);
    }

    /** A directory got, lost ({@code entries}) or swapped an entry; {@code subdirectories} is how its link count changes. */
    public void entryChanged(InodeRecord directory, int entries, int subdirectories) {
        directory
                .entryCount(directory.entryCount() + entries)
                .nlink(directory.nlink() + subdirectories)
                .mtime(state.nowSeconds(), state.nowNanos())
                .ctime(state.nowSeconds(), state.nowNanos());
    }

    /** The inode itself changed. */
    public void touch(InodeRecord inode) {
        inode.ctime(state.nowSeconds(), state.nowNanos());
    }

    /**
     * A file lost one name. If it was the last one, the inode becomes an orphan, or is freed in the same
     * transaction if nobody has it open, little is to be given back and files do not linger.
     */
    public void dropName(MetaTransaction tx, InodeRecord inode) {
        touch(inode);
        inode.nlink(inode.nlink() - 1);
        if (inode.nlink() == 0) {
            lastNameGone(tx, inode);
        }
    }

    /** A directory, which is empty, was removed from its parent. */
    public void dropDirectory(MetaTransaction tx, InodeRecord directory) {
        touch(directory);
        directory.nlink(0);
        lastNameGone(tx, directory);
    }

    private void lastNameGone(MetaTransaction tx, InodeRecord inode) {
        long ino = inode.ino();
        // A file may linger: whoever was told its number by a lookup may be about to open it.
        boolean ends = inode.isDirectory() || !state.orphans().isLingering();
        if (ends && !state.opens().isOpen(ino) && freeIfSmall(tx, inode)) {
            return;
        }
        tx.afterCommit(orphaned, ino, 0);
    }

    /**
     * Stages the freeing of an inode that nobody can reach.
     *
     * @return false if the contents need more transactions; then only a part of them was staged
     */
    public boolean freeIfSmall(MetaTransaction tx, InodeRecord inode) {
        if (inode.isRegular() && !state.contents().release(tx, inode)) {
            return false;
        }
        if (inode.isSymlink() && inode.mapRoot() != 0) {
            state.blobs().free(tx, inode.mapRoot());
        }
        if (inode.xattrRoot() != 0) {
            state.blobs().free(tx, inode.xattrRoot());
        }
        long ino = inode.ino();
        if (inode.isDirectory()) {
            state.dentries().dropDirectory(tx, ino);
        }
        state.inodes().free(tx, ino);
        return true;
    }

    private void named(long ino, long unused) {
        state.orphans().remove(ino);
    }

    private void orphaned(long ino, long unused) {
        state.orphans().add(ino, !state.opens().isOpen(ino));
    }
}
