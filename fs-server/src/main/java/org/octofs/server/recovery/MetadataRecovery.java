package org.octofs.server.recovery;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.LongAdder;
import org.octofs.pmem.PoolCorruptException;
import org.octofs.server.ops.ServerState;
import org.octofs.server.store.MetaStore;
import org.octofs.server.store.PageKind;

/**
 * Rebuilds the indexes from the METADATA zone, after the log has been replayed: pages, then inodes with what they reference,
 * then dentries. Reads the metadata once.
 * Threading:  the worker's thread, before anything is served; a second one for the dentries of large pools.
 * Errors:     {@link PoolCorruptException} with the place and both values for a wrong checksum, a reference out of the zone, or
 *             anything that is there twice; nothing is changed on the media.
 */
public final class MetadataRecovery {
    /** Below, a thread costs more than it saves. */
    private static final int SLOTS_FOR_TWO_THREADS = 20_000;

    private final ServerState state;
    private final MetaStore store;
    private final InodeScan inodes;
    private final DentryScan dentries;
    /** Keeps the compiler from leaving out what has no other use. */
    private final LongAdder touched = new LongAdder();

    /**
     * Slots that a lock record names: a half-written dispatch is no corruption there, it is done again. Old and new image
     * of such a slot agree in identity (number; directory, name and place) and in everything that is referenced, so that
     * even a mixture of them can be indexed and followed.
     */
    @FunctionalInterface
    public interface LockedSlots {
        /** Whether a transaction holds the slot; its checksum means nothing then. */
        boolean contains(long slotOffset);

        /** Whether the slot was free before: it is taken, and whatever is in it does not exist yet. */
        default boolean isNew(long slotOffset) {
            return false;
        }
    }

    /** A recovery into an empty state. */
    public MetadataRecovery(ServerState state, LockedSlots lockedSlots) {
        this.state = state;
        this.store = state.store();
        this.inodes = new InodeScan(state, lockedSlots);
        this.dentries = new DentryScan(state, lockedSlots);
    }

    /** Rebuilds everything; see the class. */
    public void run(RecoveryProgress progress) {
        run(progress, null);
    }

    /**
     * As {@link #run(RecoveryProgress)}, with a second thread that reads the dentries of a large pool while this one reads the
     * inodes: they end up in different tables.
     *
     * @param threads null: everything in this thread
     */
    public void run(RecoveryProgress progress, ThreadFactory threads) {
        store.beginRecovery();
        state.marks().recover();
        long inodeSlots = 0;
        long dentrySlots = 0;
        // The kinds of all pages first: a reference to one of them must be seen to be wrong.
        for (int page = 0; page < store.pageCount(); page++) {
            int kind = store.pageKindOnMedia(page);
            if (kind > PageKind.DENTRY_LARGE) {
                throw new PoolCorruptException("kind of metadata page", store.pageOffset(page), PageKind.FREE, kind);
            }
            if (kind != PageKind.FREE) {
                store.recoverPageKind(page, kind);
                inodeSlots += kind == PageKind.INODE ? PageKind.slotCount(kind) : 0;
                dentrySlots += kind == PageKind.INODE ? 0 : PageKind.slotCount(kind);
            }
        }
        state.inodes().expect(inodeSlots);
        state.dentries().expect(dentrySlots);
        if (threads != null && inodeSlots + dentrySlots >= SLOTS_FOR_TWO_THREADS) {
            scanInTwoThreads(progress, threads);
        } else {
            touched.add(inodes.run(progress));
            touched.add(dentries.run(progress));
        }
        store.endRecovery();
        state.contents().recovered();
        RootCreator.createIfMissing(state);
    }

    public long inodeCount() {
        return inodes.inodeCount();
    }

    public long dentryCount() {
        return dentries.dentryCount();
    }

    /** Inodes without a name. */
    public long orphanCount() {
        return inodes.orphanCount();
    }

    private void scanInTwoThreads(RecoveryProgress progress, ThreadFactory threads) {
        FutureTask<Void> other = new FutureTask<>(() -> touched.add(dentries.run(RecoveryProgress.NONE)), null);
        threads.newThread(other).start();
        boolean done = false;
        try {
            touched.add(inodes.run(progress));
            done = true;
        } finally {
            // In any case: the medium may be closed when this has failed.
            await(other, done);
        }
    }

    private static void await(FutureTask<Void> task, boolean rethrow) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    task.get();
                    return;
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    if (rethrow && e.getCause() instanceof RuntimeException cause) {
                        throw cause;
                    }
                    if (rethrow) {
                        throw new IllegalStateException("recovery of the dentries failed", e.getCause());
                    }
                    return;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
