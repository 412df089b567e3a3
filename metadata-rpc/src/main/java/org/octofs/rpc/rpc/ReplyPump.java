package org.octofs.rpc.rpc;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.octofs.rpc.fabric.ReceiveQueue;

/**
 * Lets the waiting threads themselves take replies off the queue, so that a lone caller gets its reply without a change of
 * threads: one of them leads (polls, and parks inside the queue), the others park until their own reply has come or the
 * lead is free.
 *
 * <p>Who waits <em>patiently</em> expects to wait long, and leads only while nobody else does: whoever comes meanwhile has it give up the
 * lead, since a reply that comes by another thread costs two changes of threads. After that it looks from time to time whether
 * the others are done.
 *
 * <p>Invariants: at most one thread is inside the queue. Whoever gives up the lead, and whoever leaves without having had
 * it, wakes one parked waiter if the lead is then free, or if there is none, a patient one that sleeps; a waiter registers before it
 * looks at the lead for the last time. So the lead never stays free while somebody waits, but for twice {@link #REST_NANOS} if all
 * who wait are patient.
 *
 * <p>Threading: any. Allocates nothing but for waits outside of a call's slot.
 */
final class ReplyPump {
    private static final int POLL_LIMIT = 64;

    private static final long SHUT_DOWN_PAUSE_NANOS = 50_000;

    /** Who is patient leads again once nobody else has for so long. Its replies come that much later, the others' at once. */
    private static final long REST_NANOS = 500_000;

    private final ReceiveQueue queue;
    private final boolean shared;
    private final Waiter[] slots;
    private final LongSupplier clock;
    private final ConcurrentLinkedQueue<Waiter> others = new ConcurrentLinkedQueue<>();
    private final AtomicReference<Thread> leader = new AtomicReference<>();
    private final AtomicInteger parkedCount = new AtomicInteger();

    /** Patient ones that count on whoever leads to wake one of them. */
    private final AtomicInteger sleepingCount = new AtomicInteger();

    private volatile boolean patientLeads;

    /** How often somebody who was not patient has led. Written by the leader. */
    private volatile int leads;

    /**
     * A pump without waiters.
     *
     * @param shared true if somebody else polls the queue; nobody leads then
     * @param slots the waiters that exist all the time
     */
    ReplyPump(ReceiveQueue queue, boolean shared, Waiter[] slots, LongSupplier clock) {
        this.queue = queue;
        this.shared = shared;
        this.slots = slots;
        this.clock = clock;
    }

    /** True if the calling thread is inside the queue, in a completion say: it must not wait then. */
    boolean isLeading() {
        return leader.get() == Thread.currentThread();
    }

    /**
     * Takes what has arrived, if nobody else is about it.
     *
     * @return number of arrivals taken
     */
    int poll() {
        if (shared || !leader.compareAndSet(null, Thread.currentThread())) {
            return 0;
        }
        try {
            return queue.poll(POLL_LIMIT);
        } finally {
            giveUpLead();
            passLead();
        }
    }

    /**
     * Waits for one of the slots.
     *
     * @return false if the deadline passed first
     */
    boolean await(Waiter waiter, long deadlineNanos) {
        if (waiter.isSettled()) {
            return true;
        }
        boolean interrupted = false;
        // The queue looks at the clock if it has to wait; a deadline that has passed already ends the wait there.
        while (!waiter.isSettled()) {
            if (!shared && becomesLeader()) {
                if (!lead(waiter, deadlineNanos) && !Thread.currentThread().isInterrupted()) {
                    // The deadline; or a simulated network is at rest, where waiting longer would be for ever.
                    break;
                }
            } else if (!follow(waiter, deadlineNanos)) {
                break;
            }
            // An interrupt is not ours to act on, and with the flag up nothing would park.
            interrupted |= Thread.interrupted();
        }
        passLead();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return waiter.isSettled();
    }

    /** As {@link #await}, for a reply that is expected to take long. */
    boolean awaitPatiently(Waiter waiter, long deadlineNanos) {
        if (shared) {
            return await(waiter, deadlineNanos);
        }
        boolean interrupted = false;
        waiter.patient = true;
        try {
            int seen = leads;
            while (!waiter.isSettled() && clock.getAsLong() - deadlineNanos < 0) {
                int now = leads;
                boolean quiet = now == seen;
                seen = now;
                // Whoever is parked has been woken to lead, and may not have got to it.
                if (quiet && parkedCount.get() == 0 && becomesLeader()) {
                    if (!leadPatiently(waiter, deadlineNanos)
                            && !Thread.currentThread().isInterrupted()) {
                        break;
                    }
                } else {
                    rest(waiter, deadlineNanos, quiet);
                }
                interrupted |= Thread.interrupted();
            }
        } finally {
            waiter.patient = false;
        }
        passLead();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return waiter.isSettled();
    }

    /** Waits for something that is none of the slots. */
    boolean awaitOther(Waiter waiter, long deadlineNanos) {
        others.add(waiter);
        try {
            return await(waiter, deadlineNanos);
        } finally {
            others.remove(waiter);
        }
    }

    /** Wakes one of those that wait for something else than a slot's reply. */
    void wakeOthers() {
        if (!others.isEmpty()) {
            others.forEach(Waiter::wake);
            // The one who leads looks at its own condition only when something makes the queue return.
            queue.wakeup();
        }
    }

    /** Has all waiting threads look at their conditions again. */
    void wakeAll() {
        for (Waiter waiter : slots) {
            waiter.wake();
        }
        others.forEach(Waiter::wake);
        queue.wakeup();
    }

    /** Takes the lead for good, so that the queue can be closed. All waits have been settled before. */
    void shutDown() {
        if (shared || isLeading()) {
            return;
        }
        while (!leader.compareAndSet(null, Thread.currentThread())) {
            queue.wakeup();
            LockSupport.parkNanos(this, SHUT_DOWN_PAUSE_NANOS);
        }
    }

    private boolean becomesLeader() {
        return leader.get() == null && leader.compareAndSet(null, Thread.currentThread());
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // by the leader only
    private void giveUpLead() {
        leads++;
        leader.set(null);
    }

    /** Answers false if the queue gave up waiting. */
    private boolean leadPatiently(Waiter waiter, long deadlineNanos) {
        // Before the look at the parked: they register before they look at this.
        patientLeads = true;
        try {
            while (!waiter.isSettled()
                    && parkedCount.get() == 0
                    && !Thread.currentThread().isInterrupted()) {
                if (queue.poll(POLL_LIMIT) == 0 && !waiter.isSettled() && !queue.sleep(deadlineNanos)) {
                    return false;
                }
            }
            return true;
        } finally {
            patientLeads = false;
            leader.set(null);
            passLead();
        }
    }

    /**
     * Waits for the reply, or for a time to look again.
     *
     * @param quiet nobody has given up the lead for a while: whoever has it will say so
     */
    private void rest(Waiter waiter, long deadlineNanos, boolean quiet) {
        waiter.parked = Thread.currentThread();
        int sleeping = quiet ? 1 : 0;
        sleepingCount.addAndGet(sleeping);
        try {
            long left = deadlineNanos - clock.getAsLong();
            if (!waiter.isSettled() && left > 0) {
                LockSupport.parkNanos(this, quiet && leader.get() != null ? left : Math.min(left, REST_NANOS));
            }
        } finally {
            sleepingCount.addAndGet(-sleeping);
            waiter.parked = null;
        }
    }

    /** Answers false if the queue gave up waiting. */
    private boolean lead(Waiter waiter, long deadlineNanos) {
        try {
            while (!waiter.isSettled() && !Thread.currentThread().isInterrupted()) {
                if (queue.poll(POLL_LIMIT) == 0 && !waiter.isSettled() && !queue.await(deadlineNanos)) {
                    return false;
                }
            }
            return true;
        } finally {
            giveUpLead();
        }
    }

    /** Answers false if the deadline has passed. */
    private boolean follow(Waiter waiter, long deadlineNanos) {
        waiter.parked = Thread.currentThread();
        parkedCount.incrementAndGet();
        try {
            if (patientLeads) {
                queue.wakeup();
            }
            if (!waiter.isSettled() && (shared || leader.get() != null)) {
                long left = deadlineNanos - clock.getAsLong();
                if (left <= 0) {
                    return false;
                }
                LockSupport.parkNanos(this, left);
            }
            return true;
        } finally {
            parkedCount.decrementAndGet();
            waiter.parked = null;
        }
    }

    private void wakePatient() {
        for (Waiter waiter : slots) {
            if (waiter.patient && waiter.parked != null) {
                waiter.wake();
                return;
            }
        }
    }

    private void passLead() {
        if (shared || leader.get() != null) {
            return;
        }
        if (parkedCount.get() == 0) {
            if (sleepingCount.get() > 0) {
                wakePatient();
            }
            return;
        }
        for (Waiter waiter : slots) {
            if (waiter.parked != null && !waiter.patient && !waiter.isSettled()) {
                waiter.wake();
                return;
            }
        }
        others.forEach(Waiter::wake);
    }
}
