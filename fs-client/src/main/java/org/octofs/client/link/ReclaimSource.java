package org.octofs.client.link;

import org.octofs.rpc.protocol.MessageBuffer;

/** What this client holds at a node and must tell it anew after a restart: opens and locks. */
public interface ReclaimSource {
    /** Bytes of one open in a RECLAIM. */
    int OPEN_BYTES = 16;

    /** Bytes of one lock in a RECLAIM. */
    int LOCK_BYTES = 48;

    /** Nothing held. */
    ReclaimSource NONE = new ReclaimSource() {
        @Override
        public long[] opens(int nodeId) {
            return new long[0];
        }

        @Override
        public HeldLock[] locks(int nodeId) {
            return new HeldLock[0];
        }
    };

    /**
     * There is a new connection to a node that was known before. If the node has been restarted, others wait for what this client
     * holds, so somebody has to ask for its {@link ServerLink#pool} soon. Must not block.
     */
    default void reconnected(int nodeId) {}

    /** Inode numbers that are open, as often as they are registered. */
    long[] opens(int nodeId);

    /** Locks that are held. */
    HeldLock[] locks(int nodeId);

    /** A held lock, in the terms of LOCK requests. */
    record HeldLock(long ino, long owner, long start, long end, int type, int flags, int pid) {
        void write(MessageBuffer body, int at) {
            body.putU64(at, ino);
            body.putU64(at + 8, owner);
            body.putU64(at + 16, start);
            body.putU64(at + 24, end);
            body.putU32(at + 32, type);
            body.putU32(at + 36, flags);
            body.putU32(at + 40, pid);
            body.putU32(at + 44, 0);
        }
    }
}
