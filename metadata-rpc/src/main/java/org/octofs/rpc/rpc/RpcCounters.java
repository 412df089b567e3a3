package org.octofs.rpc.rpc;

import java.util.concurrent.atomic.LongAdder;

/** What happened on one side of the RPC since it was made. Any thread may read. */
public final class RpcCounters {
    private final LongAdder calls = new LongAdder();
    private final LongAdder resends = new LongAdder();
    private final LongAdder lateReplies = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder connects = new LongAdder();
    private final LongAdder moves = new LongAdder();

    RpcCounters() {}

    void call() {
        calls.increment();
    }

    void resend() {
        resends.increment();
    }

    void lateReply() {
        lateReplies.increment();
    }

    void refusedReply() {
        refused.increment();
    }

    void connected() {
        connects.increment();
    }

    void slotMoved() {
        moves.increment();
    }

    /** Client: calls begun. Server: requests handed to the handler. */
    public long calls() {
        return calls.sum();
    }

    /** Client: requests sent again. Server: requests answered from the reply cache, or ignored as they were in work. */
    public long resends() {
        return resends.sum();
    }

    /** Client: replies to calls that had ended. Server: requests older than the slot's last one. */
    public long lateMessages() {
        return lateReplies.sum();
    }

    /** Messages that could not be what they claimed to be. */
    public long refused() {
        return refused.sum();
    }

    /** Connections made. */
    public long connects() {
        return connects.sum();
    }

    /** Slots that were grown or halved. */
    public long slotMoves() {
        return moves.sum();
    }
}
