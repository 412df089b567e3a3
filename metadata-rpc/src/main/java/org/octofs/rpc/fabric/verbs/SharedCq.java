package org.octofs.rpc.fabric.verbs;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCReqNotify;
import java.io.IOException;
import org.octofs.rpc.fabric.verbs.provider.ForeignVerbs;

/**
 * A completion queue that several connections of one receive queue share, with a budget, since an overflow would end them
 * all.
 *
 * <p>Threading: under its source's drain lock, except {@link #descriptor} and {@link #acknowledge}.
 */
final class SharedCq implements AutoCloseable {
    private static final int BATCH = 64;

    private final ForeignVerbs verbs;
    private final VerbsDevice device;
    private final IbvCompChannel channel;
    private final IbvCQ cq;
    private final IbvWC[] completions = new IbvWC[BATCH];
    private final SVCPollCq poll;
    private final SVCReqNotify notify;
    private final int entries;
    private int reserved;
    private volatile boolean isArmed;

    SharedCq(VerbsDevice device, int wantedEntries) throws IOException {
        this.verbs = device.verbs();
        this.device = device;
        entries = Math.min(wantedEntries, device.limits().completions());
        channel = verbs.createCompChannel(device.context());
        try {
            cq = verbs.createCQ(device.context(), channel, entries, 0);
        } catch (IOException e) {
            verbs.destroyCompChannel(channel);
            throw e;
        }
        for (int i = 0; i < BATCH; i++) {
            completions[i] = new IbvWC();
        }
        poll = verbs.pollCQ(cq, completions, BATCH);
        notify = verbs.reqNotifyCQ(cq, false);
    }

    IbvCQ cq() {
        return cq;
    }

    int descriptor() {
        return channel.getFd();
    }

    /** Takes room for a connection's requests; false when there is not enough. */
    boolean reserve(VerbsDevice wanted, int count) {
        if (!device.equals(wanted) || reserved + count > entries) {
            return false;
        }
        reserved += count;
        return true;
    }

    /** Gives it back. True when nobody uses the queue any more. */
    boolean release(int count) {
        reserved -= count;
        return reserved == 0;
    }

    /** Takes completions; answers how many. They are valid until the next call. */
    int poll() throws IOException {
        return poll.execute().getPolls();
    }

    IbvWC completion(int index) {
        return completions[index];
    }

    /** Asks for an event at the next completion, unless one is due anyway. What is there already has to be polled after. */
    void arm() throws IOException {
        if (!isArmed) {
            isArmed = true;
            notify.execute();
        }
    }

    /** Takes the event that was asked for and has come. By the loop, which has seen it. */
    void acknowledge() throws IOException {
        if (isArmed && verbs.getCqEvent(channel, cq, ForeignVerbs.READY)) {
            isArmed = false;
            verbs.ackCqEvents(cq, 1);
        }
    }

    @Override
    public void close() throws IOException {
        verbs.destroyCQ(cq);
        verbs.destroyCompChannel(channel);
    }
}
