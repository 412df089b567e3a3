package org.octofs.rpc.fabric.verbs;

import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvWC;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.octofs.rpc.fabric.transport.ArrivalQueue;
import org.octofs.rpc.fabric.transport.ProgressSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The completions of all verbs connections of one receive queue. Whoever waits takes them while it spins; before it sleeps it
 * counts itself a sleeper and asks for an event, and from then on the {@link VerbsLoop} takes them.
 *
 * <p>Threading: any. Invariant: while there are sleepers, each completion queue is armed and was polled after that, or the
 * loop is about to do both. Ownership: owns its completion queues; counted by its users.
 */
final class CompletionSource implements ProgressSource {
    private static final Logger LOG = LoggerFactory.getLogger(CompletionSource.class);
    private static final SharedCq[] NONE = {};
    private static final int FIRST_ENTRIES = 4096;
    private static final int NEXT_ENTRIES = 16_384;

    private final ArrivalQueue queue;
    private final VerbsLoop loop;
    private final ReentrantLock drainLock = new ReentrantLock();
    private final AtomicInteger sleepers = new AtomicInteger();
    private volatile SharedCq[] cqs = NONE;
    /** By index at the receive queue. */
    private volatile VerbsConnection[] connections = new VerbsConnection[16];

    private boolean isDraining;
    private boolean drainAgain;

    CompletionSource(ArrivalQueue queue, VerbsLoop loop) {
        this.queue = queue;
        this.loop = loop;
    }

    ArrivalQueue queue() {
        return queue;
    }

    /** Held while completions are taken: under it a queue pair is made and destroyed. */
    ReentrantLock drainLock() {
        return drainLock;
    }

    SharedCq[] cqs() {
        return cqs;
    }

    VerbsConnection[] connections() {
        return connections;
    }

    /** Gives a connection its completion queue. Its completions are delivered from now on. */
    SharedCq attach(VerbsConnection connection, VerbsDevice device, IbvQPInitAttr attributes) throws IOException {
        int needed = attributes.cap().getMax_send_wr() + attributes.cap().getMax_recv_wr();
        drainLock.lock();
        try {
            SharedCq cq = reserve(device, needed);
            VerbsConnection[] before = connections;
            int index = connection.queueIndex();
            VerbsConnection[] changed = Arrays.copyOf(before, Math.max(before.length, index + 1));
            changed[index] = connection;
            connections = changed;
            attributes.setSend_cq(cq.cq());
            attributes.setRecv_cq(cq.cq());
            return cq;
        } finally {
            drainLock.unlock();
        }
    }

    private SharedCq reserve(VerbsDevice device, int needed) throws IOException {
        for (SharedCq cq : cqs) {
            if (cq.reserve(device, needed)) {
                return cq;
            }
        }
        SharedCq cq = new SharedCq(device, cqs.length == 0 ? FIRST_ENTRIES : NEXT_ENTRIES);
        if (!cq.reserve(device, needed)) {
            cq.close();
            throw new IOException("the device's completion queues are too short for " + needed + " requests");
        }
        SharedCq[] changed = Arrays.copyOf(cqs, cqs.length + 1);
        changed[cqs.length] = cq;
        cqs = changed;
        if (sleepers.get() > 0) {
            cq.arm();
        }
        loop.changed();
        return cq;
    }

    /** The connection's queue pair is gone. */
    void detach(VerbsConnection connection, SharedCq cq, int reserved) {
        boolean isUnused;
        drainLock.lock();
        try {
            VerbsConnection[] changed = connections.clone();
            changed[connection.queueIndex()] = null;
            connections = changed;
            isUnused = cq.release(reserved);
            if (isUnused) {
                cqs = Arrays.stream(cqs).filter(other -> !other.equals(cq)).toArray(SharedCq[]::new);
            }
        } finally {
            drainLock.unlock();
        }
        if (isUnused) {
            // The loop may be waiting for its descriptor or taking its event.
            loop.afterChange(() -> closeLocked(cq));
        }
    }

    /** Another thread may be in the middle of polling it. */
    private void closeLocked(SharedCq cq) {
        drainLock.lock();
        try {
            close(cq);
        } finally {
            drainLock.unlock();
        }
    }

    private static void close(SharedCq cq) {
        try {
            cq.close();
        } catch (IOException e) {
            LOG.warn("cannot free a completion queue: {}", e.getMessage());
        }
    }

    @Override
    public int progress() {
        return drainLock.tryLock() ? drainLocked() : 0;
    }

    /** Takes everything that has completed, after what another thread is taking. */
    int drain() {
        drainLock.lock();
        return drainLocked();
    }

    private int drainLocked() {
        if (isDraining) {
            // From inside a completion, which may ask for events or fail its connection: the outer call goes on.
            drainAgain = true;
            drainLock.unlock();
            return 0;
        }
        isDraining = true;
        try {
            int total = 0;
            do {
                drainAgain = false;
                for (SharedCq cq : cqs) {
                    total += drain(cq);
                }
            } while (drainAgain);
            for (VerbsConnection connection : connections) {
                if (connection != null) {
                    connection.deliverLate();
                }
            }
            return total;
        } finally {
            isDraining = false;
            drainLock.unlock();
        }
    }

    private int drain(SharedCq cq) {
        int total = 0;
        try {
            for (int count = cq.poll(); count > 0; count = cq.poll()) {
                for (int i = 0; i < count; i++) {
                    dispatch(cq.completion(i));
                }
                total += count;
            }
        } catch (IOException e) {
            for (VerbsConnection connection : connections) {
                if (connection != null) {
                    connection.fail(e.getMessage());
                }
            }
        }
        return total;
    }

    private void dispatch(IbvWC completion) {
        long id = completion.getWr_id();
        int index = WorkId.connectionIndexOf(id);
        VerbsConnection[] table = connections;
        VerbsConnection connection = index < table.length ? table[index] : null;
        if (connection == null) {
            return; // of a queue pair that is gone
        }
        if (WorkId.isReceive(id)) {
            connection.onReceive(completion.getStatus(), completion.getImm_data());
        } else {
            connection.onSent(WorkId.sequenceOf(id), completion.getStatus());
        }
    }

    /** Somebody sleeps from now on until {@link #awake}, and the loop brings what completes. */
    void prepareToSleep() {
        sleepers.incrementAndGet();
        drainLock.lock();
        try {
            armLocked();
        } finally {
            drainLock.unlock();
        }
        drain();
    }

    private void armLocked() {
        try {
            for (SharedCq cq : cqs) {
                cq.arm();
            }
        } catch (IOException e) {
            LOG.error("cannot wait for completions", e);
        }
    }

    void awake() {
        sleepers.decrementAndGet();
    }

    /** By the loop: a completion queue has an event. */
    void onEvent(SharedCq cq) throws IOException {
        drainLock.lock();
        try {
            cq.acknowledge();
            if (sleepers.get() > 0) {
                cq.arm();
            }
        } finally {
            drainLock.unlock();
        }
        drain();
    }

    @Override
    public void beforePark() {
        prepareToSleep();
    }

    @Override
    public void afterPark() {
        awake();
    }

    @Override
    public boolean await(long deadlineNanos) {
        return true; // the last connection is going right now: the queue looks again how to park
    }

    @Override
    public void wakeup() {
        // The queue's own thread is woken by the queue.
    }

    /** Closes what is left. Nobody may be using it. */
    void close() {
        for (SharedCq cq : cqs) {
            close(cq);
        }
        cqs = NONE;
    }
}
