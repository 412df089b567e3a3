package org.octofs.client.lease;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.octofs.client.client.ClientCounter;
import org.octofs.client.client.FsException;
import org.octofs.client.link.Links;
import org.octofs.client.link.RemotePool;
import org.octofs.client.link.ServerLink;
import org.octofs.rpc.protocol.LeaseTimes;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.LeaseKind;
import org.octofs.rpc.protocol.message.RecallFlags;
import org.octofs.rpc.protocol.message.RecallsReply;
import org.octofs.rpc.protocol.message.RecallsRequest;
import org.octofs.rpc.rpc.RpcCall;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens to one home: keeps a RECALLS call there while this client has leases of it, has the kernel drop what is recalled, and says so.
 * Threading:  {@link #run} on a thread of its own. What may wait for requests of the kernel is done by further threads, each
 *             for one recall: the next one may be what those requests wait for.
 * Limits:     {@link #WAITERS_MAX} further threads; what is beyond that is left to the home's patience.
 */
final class RecallListener implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(RecallListener.class);
    private static final int WAITERS_MAX = 64;
    private static final int WAIT_MILLIS = 10_000;
    private static final long CALL_NANOS = 30_000_000_000L;
    private static final long IDLE_NANOS = 30_000_000_000L;
    private static final long PAUSE_NANOS = 100_000_000L;
    private static final long ARMING_PAUSE_NANOS = 20_000L;
    private static final long DROP_PAUSE_NANOS = 200_000L;
    private static final int RECALL_BYTES = 24;

    private final Leases owner;
    private final HomeLeases home;
    private final Links links;
    private final ThreadFactory threads;
    private final AtomicInteger waiters = new AtomicInteger();
    private final List<Recall> recalls = new ArrayList<>();
    private long[] dropped = new long[8];
    private int droppedCount;

    // Of the last answer.
    private long word;
    private long wordOffset;

    private static final class Recall {
        private final long number;
        private final long ino;
        private final int kind;
        private final byte[] name;
        private KeptLease lease;
        private KeptName nameOfInode;

        Recall(long number, long ino, int kind, byte[] name) {
            this.number = number;
            this.ino = ino;
            this.kind = kind;
            this.name = name;
        }

        /** Whether owner or mode will change, by which the kernel judges for as long as it keeps a name of the inode. */
        boolean isOfRights() {
            return kind == LeaseKind.ATTRIBUTES && name.length > 0;
        }
    }

    RecallListener(Leases owner, HomeLeases home, Links links, ThreadFactory threads) {
        this.owner = owner;
        this.home = home;
        this.links = links;
        this.threads = threads;
    }

    @Override
    public void run() {
        try {
            while (!owner.isClosed() && !isIdle()) {
                try {
                    listen();
                } catch (FsException e) {
                    LOG.debug("node {} recalls nothing at the moment: {}", home.node(), e.getMessage());
                }
                home.lost();
                if (!owner.isClosed() && !isIdle()) {
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            }
        } catch (RuntimeException e) {
            LOG.error("listening to the recalls of node {} failed", home.node(), e);
        } finally {
            home.lost();
            home.stoppedListening();
        }
    }

    private boolean isIdle() {
        return links.nanoTime() - home.lastUsedNanos() > IDLE_NANOS;
    }

    private void listen() throws FsException {
        ServerLink link = links.node(home.node());
        home.lost();
        droppedCount = 0;
        RemotePool pool = link.pool(links.nanoTime() + CALL_NANOS);
        if (!exchange(link, RecallFlags.BEGIN, 0)) {
            return;
        }
        home.begun(pool, word, wordOffset);
        while (!owner.isClosed() && pool.equals(link.poolIfUsable())) {
            if (isIdle()) {
                // Nothing was kept for long. With nobody listening, the home would wait for nothing.
                home.lost();
                exchange(link, RecallFlags.BEGIN | RecallFlags.NOTHING_KEPT, 0);
                return;
            }
            if (!exchange(link, 0, WAIT_MILLIS)) {
                return;
            }
            handle();
        }
    }

    /** One RECALLS; notes what is recalled. False if the home does not know us. */
    private boolean exchange(ServerLink link, int flags, int waitMillis) throws FsException {
        recalls.clear();
        int bytes = RecallsRequest.FIXED_BYTES + droppedCount * Long.BYTES;
        try (RpcCall call = link.begin(OpCode.RECALLS, bytes, links.nanoTime() + CALL_NANOS)) {
            fill(call.request(), flags, waitMillis, dropped, droppedCount);
            droppedCount = 0;
            int status = waitMillis == 0 ? link.exchange(call, bytes) : link.exchangePatiently(call, bytes);
            if (status != 0) {
                return false;
            }
            MessageBuffer body = call.reply();
            RecallsReply reply = new RecallsReply().wrap(body);
            word = reply.word();
            wordOffset = reply.wordOffset();
            int at = reply.recallsOffset();
            for (int i = 0; i < reply.recallCount(); i++) {
                byte[] name = new byte[Math.min(255, Math.max(0, body.getI32(at + 20)))];
                body.getBytes(at + RECALL_BYTES, name, 0, name.length);
                recalls.add(new Recall(body.getU64(at), body.getU64(at + 8), body.getI32(at + 16), name));
                at += RECALL_BYTES + ((name.length + 7) & ~7);
            }
            return true;
        }
    }

    private static void fill(MessageBuffer body, int flags, int waitMillis, long[] dropped, int droppedCount) {
        RecallsRequest message = new RecallsRequest().wrap(body).flags(flags).waitMillis(waitMillis);
        message.droppedCount(droppedCount);
        for (int i = 0; i < droppedCount; i++) {
            body.putU64(message.dropped(i), dropped[i]);
        }
    }

    /** A RECALLS that says something and wants to hear nothing. */
    static void tell(ServerLink link, int flags, long deadlineNanos, long... dropped) throws FsException {
        int bytes = RecallsRequest.FIXED_BYTES + dropped.length * Long.BYTES;
        try (RpcCall call = link.begin(OpCode.RECALLS, bytes, deadlineNanos)) {
            fill(call.request(), flags, 0, dropped, dropped.length);
            link.exchange(call, bytes);
        }
    }

    private void handle() {
        for (Recall recall : recalls) {
            recall.lease = home.recalled(recall.kind, recall.ino, owner.quietNanos());
            recall.nameOfInode = recall.isOfRights() ? home.keptName(recall.ino) : null;
            links.counters().increment(ClientCounter.RECALLS);
        }
        // Other leases are of use again only now that none of these is.
        if (wordOffset != 0) {
            home.told(word);
        }
        for (Recall recall : recalls) {
            if (recall.nameOfInode == null && (recall.lease == null || !home.isKept(recall.lease))) {
                dropped(recall.number);
            } else {
                drop(recall);
            }
        }
    }

    private void dropped(long number) {
        if (droppedCount == dropped.length) {
            dropped = Arrays.copyOf(dropped, droppedCount * 2);
        }
        dropped[droppedCount++] = number;
    }

    private void drop(Recall recall) {
        // Answers under way are about to be given; they wait for nothing.
        long start = links.nanoTime();
        while (recall.lease != null && home.isArming(recall.lease)) {
            if (links.nanoTime() - start > LeaseTimes.PATIENCE_NANOS) {
                return;
            }
            LockSupport.parkNanos(ARMING_PAUSE_NANOS);
        }
        boolean done = recall.kind == LeaseKind.ATTRIBUTES && dropAttributes(recall);
        if (done && recall.nameOfInode == null) {
            dropped(recall.number);
        } else if (recall.kind == LeaseKind.NAMES && recall.name.length == 0) {
            // Taken back as a whole; names that are kept are over by themselves, which the home waits for.
            dropped(recall.number);
        } else if (waiters.incrementAndGet() <= WAITERS_MAX) {
            threads.newThread(() -> dropWaiting(recall)).start();
        } else {
            waiters.decrementAndGet();
        }
    }

    /** Whether the kernel keeps none; false if it does not know the inode (yet). */
    private boolean dropAttributes(Recall recall) {
        if (recall.lease == null) {
            return true;
        }
        boolean done = owner.kernel().dropAttributes(recall.ino);
        if (done) {
            home.dropped(recall.lease);
        }
        return done;
    }

    private void lookUpAgain(Recall recall) {
        KeptName kept = recall.nameOfInode;
        if (kept == null) {
            return;
        }
        if (kept.name != null) {
            owner.kernel().lookUpAgain(kept.directory, kept.name);
        }
        // One that this client has moved, before or meanwhile, is over by itself.
        for (KeptName now = home.keptName(recall.ino);
                now != null && now.name == null;
                now = home.keptName(recall.ino)) {
            LockSupport.parkNanos(DROP_PAUSE_NANOS);
        }
    }

    private void dropWaiting(Recall recall) {
        try {
            if (recall.kind == LeaseKind.NAMES) {
                owner.kernel().dropName(recall.ino, recall.name);
            } else {
                // An inode that is not known may be one whose first answer the kernel is just looking at.
                while (!dropAttributes(recall) && home.isKept(recall.lease)) {
                    LockSupport.parkNanos(DROP_PAUSE_NANOS);
                }
                if (recall.lease != null) {
                    home.dropped(recall.lease);
                }
                lookUpAgain(recall);
            }
            tell(links.node(home.node()), 0, links.nanoTime() + LeaseTimes.PATIENCE_NANOS, recall.number);
        } catch (FsException e) {
            LOG.debug("node {} was not told that a recall is done: {}", home.node(), e.getMessage());
        } finally {
            waiters.decrementAndGet();
        }
    }
}
