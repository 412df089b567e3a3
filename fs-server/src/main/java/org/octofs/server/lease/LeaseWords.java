package org.octofs.server.lease;

import java.lang.invoke.VarHandle;
import org.octofs.server.store.MetaStore;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;

/**
 * A word for each session at the end of the SESSION_TABLE zone, which clients read one-sidedly: as long as it reads what its
 * client was told last, the home recalls nothing that the client has not heard of. So a client that cannot be reached cannot go on
 * using its leases either.
 *
 * <pre>
 * | incarnation u32 | recalls so far, 31 bits | 1 bit: something may have been granted |     (as one u64, the last bit the lowest)
 * </pre>
 *
 * Threading:  confined to the worker; read by anybody at any time.
 * Durability: only that something may have been granted; the rest is for this life of the server, and every life begins with words
 *             that no client was ever told.
 */
public final class LeaseWords {
    /** Bytes at the end of the SESSION_TABLE zone, more than one word for each session that fits before them. */
    public static final int AREA_BYTES = 4096;

    private static final int COUNT = AREA_BYTES / Long.BYTES;
    private static final long GRANTED = 1;
    private static final long ONE_RECALL = 2;

    private final MetaStore store;
    private final long areaOffset;

    /** @param areaOffset pool offset of the words */
    public LeaseWords(MetaStore store, long areaOffset) {
        this.store = store;
        this.areaOffset = areaOffset;
    }

    /**
     * Begins a life of the server, after the log was replayed.
     *
     * @return whether clients may keep something that an earlier life has granted
     */
    public boolean recover(long incarnation) {
        boolean granted = false;
        for (int i = 0; i < COUNT; i++) {
            long word = store.readLong(offset(i));
            granted |= (word & GRANTED) != 0;
            if (word != 0) {
                // A life that ends before that has been waited for leaves it to the next.
                put(i, (incarnation << Integer.SIZE) | (word & GRANTED));
            }
        }
        return granted;
    }

    /** What earlier lives have granted is over by itself. */
    void earlierIsOver() {
        for (int i = 0; i < COUNT; i++) {
            long word = store.readLong(offset(i));
            // A client that has begun in this life has a number.
            if ((word & 0xFFFF_FFFFL) == GRANTED) {
                put(i, word & ~GRANTED);
            }
        }
    }

    /** Pool offset of a session's word. */
    public long offset(int sessionIndex) {
        return areaOffset + (long) sessionIndex * Long.BYTES;
    }

    /** The word of a session to which leases are about to be granted. What others were told of it is over. */
    long begin(MetaTransaction tx, int sessionIndex, long incarnation) {
        long word = store.readLong(offset(sessionIndex));
        long next = (incarnation << Integer.SIZE) + (((word + ONE_RECALL) & 0xFFFF_FFFEL) | GRANTED);
        if ((word & GRANTED) == 0) {
            tx.begin(RecordType.SESSION);
            tx.updateLong(offset(sessionIndex), next);
            tx.commit();
        } else {
            put(sessionIndex, next);
        }
        return next;
    }

    /** A recall: the client uses no lease any more until it has been told the new word. */
    long recall(int sessionIndex) {
        long word = store.readLong(offset(sessionIndex));
        long next = (word & ~0xFFFF_FFFFL) | ((word + ONE_RECALL) & 0xFFFF_FFFFL);
        put(sessionIndex, next);
        return next;
    }

    private void put(int sessionIndex, long word) {
        store.medium().putLong(offset(sessionIndex), word);
        // The time from which patience counts is read after this.
        VarHandle.fullFence();
    }
}
