package org.octofs.server.session;

import java.util.function.LongConsumer;
import org.agrona.collections.Long2LongHashMap;

/**
 * Which inodes are open, in DRAM: an unlinked file lives as long as somebody has it open. Clients tell their opens again
 * after a restart.
 * Threading:  confined to the worker.
 */
public final class OpenTable {
    private final Long2LongHashMap total = new Long2LongHashMap(0);

    /** Registers opens. */
    public void open(ClientSession session, long ino, long count) {
        session.opens().put(ino, session.opens().get(ino) + count);
        total.put(ino, total.get(ino) + count);
    }

    /**
     * Takes back one open; one that is not registered is ignored, since a client may close after its session was renewed.
     *
     * @return true if nobody has the inode open now
     */
    public boolean close(ClientSession session, long ino) {
        long held = session.opens().get(ino);
        if (held > 0) {
            decrement(session.opens(), ino, held, 1);
            decrement(total, ino, total.get(ino), 1);
        }
        return !isOpen(ino);
    }

    public boolean isOpen(long ino) {
        return total.get(ino) > 0;
    }

    /** Inodes that are open. */
    public int size() {
        return total.size();
    }

    /** Forgets the opens of a session; {@code closed} is told each inode that nobody has open now. */
    void closeAll(ClientSession session, LongConsumer closed) {
        session.opens().forEachLong((ino, count) -> {
            decrement(total, ino, total.get(ino), count);
            if (!isOpen(ino)) {
                closed.accept(ino);
            }
        });
        session.opens().clear();
    }

    private static void decrement(Long2LongHashMap map, long ino, long held, long by) {
        if (held <= by) {
            map.remove(ino);
        } else {
            map.put(ino, held - by);
        }
    }
}
