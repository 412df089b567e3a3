package org.octofs.server.ops;

import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;

/**
 * Frees unlinked inodes that nobody has open, a bounded piece per call, so that the end of a huge file delays nobody.
 * Threading: confined to the worker.
 */
public final class OrphanReclaimer {
    private final ServerState state;
    private final InodeChanges changes;
    private boolean held;

    /** A reclaimer that waits for {@link #release}. */
    public OrphanReclaimer(ServerState state, InodeChanges changes) {
        this.state = state;
        this.changes = changes;
        this.held = true;
        state.orphans().hold(true);
    }

    /** After a restart: every client has told what it has open, or is gone. */
    public void release() {
        held = false;
        state.orphans().hold(false);
    }

    public boolean isHeld() {
        return held;
    }

    /**
     * One step for one inode.
     *
     * @return 1 if something was done
     */
    public int doWork() {
        long ino = held ? 0 : state.orphans().nextReady();
        if (ino == 0) {
            return 0;
        }
        if (state.locks().isLocked(ino)) {
            return 0;
        }
        if (state.inodes().slotOffset(ino) == 0) {
            state.orphans().remove(ino);
            return 1;
        }
        MetaTransaction tx = state.begin(RecordType.RECLAIM);
        InodeRecord inode = state.inodes().edit(tx, ino);
        boolean freed = changes.freeIfSmall(tx, inode);
        tx.commit();
        if (freed) {
            state.orphans().remove(ino);
        }
        return 1;
    }
}
