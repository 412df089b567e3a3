package org.octofs.server.data;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.server.space.ShardSpace;

/**
 * Writes grants {u64 location, u32 blockCount, u32 zero} one behind the other into an answer. Confined to the worker.
 */
final class GrantWriter implements ShardSpace.RunSink {
    static final int GRANT_BYTES = 16;
    static final int COUNT_OFFSET = Long.BYTES;

    private MessageBuffer body;
    private int at;
    private int count;

    /** Starts at an offset of the answer's body. */
    GrantWriter start(MessageBuffer target, int offset) {
        body = target;
        at = offset;
        count = 0;
        return this;
    }

    @Override
    public void run(long location, int blockCount) {
        body.putU64(at, location);
        body.putU32(at + COUNT_OFFSET, blockCount);
        body.putU32(at + COUNT_OFFSET + Integer.BYTES, 0);
        at += GRANT_BYTES;
        count++;
    }

    /** Grants written. */
    int count() {
        return count;
    }
}
