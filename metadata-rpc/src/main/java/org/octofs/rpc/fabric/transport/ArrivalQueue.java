package org.octofs.rpc.fabric.transport;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.ReceiveQueue;
import org.octofs.rpc.fabric.host.Futex;
import org.octofs.rpc.fabric.host.HostException;
import org.octofs.rpc.fabric.host.SharedMemory;
import org.octofs.rpc.fabric.ring.ArrivalRing;
import org.octofs.rpc.fabric.ring.ArrivalRingLayout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The receive queue of all transports: immediates come through one shared ring, whether their sender is another process
 * or a thread of this one, so the owner looks at one place and sleeps at one place. Rare things (an incoming connection,
 * a failure) come as events, each with the ring position that is delivered before it.
 *
 * <p>Threading: poll and await by one thread at a time; everything else any. Ownership: owns the ring's memory.
 */
public final class ArrivalQueue implements ReceiveQueue {
    private static final Logger LOG = LoggerFactory.getLogger(ArrivalQueue.class);
    private static final ProgressSource[] NO_SOURCES = {};
    private static final int SPINS_PER_CLOCK_READ = 8;

    /** Looks before the clock is asked for the first time: less than a microsecond, and most answers come within it. */
    private static final int FIRST_LOOKS = 16;

    private static final long CLOSE_PAUSE_NANOS = 50_000;
    private static final int CLOSE_TRIES = 100_000;

    private record Event(long afterPosition, Runnable action) {}

    private final FabricConfig config;
    private final SharedMemory shared;
    private final ArrivalRing ring;
    private final Arena arena = Arena.ofAuto();
    private final MemorySegment timeout = arena.allocate(Futex.TIMEOUT_BYTES, Long.BYTES);
    private final ConcurrentLinkedQueue<Event> events = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean wakeupRequested = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicReference<Thread> owner = new AtomicReference<>();
    private final AtomicInteger otherProducers = new AtomicInteger();
    private final LongAdder dropped = new LongAdder();
    private final SpinBudget budget;
    private volatile AbstractConnection[] connections = new AbstractConnection[16];
    private volatile ProgressSource[] sources = NO_SOURCES;
    private int nextIndex = 1;

    /** A queue of the configured length. */
    public ArrivalQueue(FabricConfig config) throws FabricException {
        this.config = config;
        this.budget = new SpinBudget(config.spinNanos());
        try {
            shared = SharedMemory.create("ring", ArrivalRingLayout.sizeBytes(config.receiveQueueEntries()));
        } catch (HostException e) {
            throw new FabricException(FabricException.Reason.RESOURCES, e.getMessage(), e);
        }
        ring = ArrivalRing.create(shared.memory(), config.receiveQueueEntries());
    }

    /** The ring's memory, which another process maps to push. */
    public SharedMemory ringMemory() {
        return shared;
    }

    @Override
    public int poll(int limit) {
        if (!enter()) {
            return 0;
        }
        Thread self = Thread.currentThread();
        try {
            int delivered = pollRing(limit);
            if (delivered == 0) {
                for (ProgressSource source : sources) {
                    source.progress();
                }
                delivered = closed.get() ? 0 : pollRing(limit);
            }
            return delivered;
        } finally {
            leave(self);
        }
    }

    private int pollRing(int limit) {
        int delivered = 0;
        while (delivered < limit && !closed.get()) {
            Event event = events.peek();
            if (event != null && ring.head() >= event.afterPosition) {
                run(events.poll());
                delivered++;
                continue;
            }
            long word = ring.pollWord();
            if (word != ArrivalRing.NOTHING) {
                deliver(word);
                delivered++;
            } else if (event != null) {
                run(events.poll()); // what was to come before it has been dropped as damaged
                delivered++;
            } else {
                break;
            }
        }
        return delivered;
    }

    private void deliver(long word) {
        int index = ArrivalRing.connectionIndexOf(word);
        AbstractConnection[] table = connections;
        AbstractConnection connection = index < table.length ? table[index] : null;
        if (connection == null || !connection.deliver(ArrivalRing.immediateOf(word))) {
            dropped.increment();
        }
    }

    private static void run(Event event) {
        try {
            event.action.run();
        } catch (RuntimeException e) {
            LOG.error("a callback of the fabric failed", e);
        }
    }

    @Override
    public boolean await(long deadlineNanos) {
        return await(deadlineNanos, true);
    }

    @Override
    public boolean sleep(long deadlineNanos) {
        return await(deadlineNanos, false);
    }

    private boolean await(long deadlineNanos, boolean looks) {
        if (!enter()) {
            return false;
        }
        Thread self = Thread.currentThread();
        try {
            if (isReady()) {
                return true; // where the clock is a system call, asking it costs more than looking
            }
            if (!looks || config.spinNanos() == 0) {
                return park(deadlineNanos);
            }
            boolean mayLook = budget.mayLook();
            if (mayLook && lookAtOnce()) {
                budget.waited(0);
                return true;
            }
            long start = config.clock().getAsLong();
            boolean ready = (mayLook && spin(start, deadlineNanos)) || park(deadlineNanos);
            budget.waited(config.clock().getAsLong() - start);
            return ready;
        } finally {
            leave(self);
        }
    }

    private boolean lookAtOnce() {
        for (int i = 0; i < FIRST_LOOKS && sources.length == 0 && budget.nanos() > 0; i++) {
            if (isReady()) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    private boolean spin(long start, long deadlineNanos) {
        long spinNanos = Math.min(budget.nanos(), deadlineNanos - start);
        boolean quiet = true;
        long lastLook = 0;
        for (int i = 0; ; i++) {
            if (isReady()) {
                if (!quiet) {
                    budget.arrivedAfter(config.clock().getAsLong() - start - lastLook);
                }
                return true;
            }
            for (ProgressSource source : sources) {
                source.progress();
            }
            if (!quiet || i % SPINS_PER_CLOCK_READ == 0) {
                long passed = config.clock().getAsLong() - start;
                if (passed >= spinNanos || (!quiet && budget.isCrowded(passed - lastLook))) {
                    return isReady();
                }
                quiet = passed < budget.quietNanos();
                lastLook = passed;
            }
            if (quiet) {
                Thread.onSpinWait();
            } else {
                giveWay();
            }
        }
    }

    // Not to order threads by: only so that looking takes no processor from anybody who has work.
    @SuppressWarnings("ThreadPriorityCheck")
    private static void giveWay() {
        Thread.yield();
    }

    private boolean park(long deadlineNanos) {
        while (!closed.get()) {
            long left = deadlineNanos - config.clock().getAsLong();
            if (left <= 0) {
                return isReady();
            }
            ProgressSource[] currentSources = sources;
            if (currentSources.length == 1 && otherProducers.get() == 0) {
                boolean goOn = currentSources[0].await(deadlineNanos);
                currentSources[0].progress();
                if (isReady()) {
                    return true;
                }
                if (!goOn) {
                    return false;
                }
                continue;
            }
            int wakeCount = ring.prepareToSleep();
            for (ProgressSource source : currentSources) {
                source.beforePark();
            }
            try {
                if (isReady()) {
                    return true;
                }
                ring.sleep(wakeCount, timeout, left);
            } finally {
                ring.awake();
                for (ProgressSource source : currentSources) {
                    source.afterPark();
                }
            }
            if (isReady()) {
                return true;
            }
        }
        return false;
    }

    /** True when there is something to poll; takes a wake-up request. */
    private boolean isReady() {
        if (ring.hasArrival() || !events.isEmpty()) {
            return true;
        }
        return wakeupRequested.get() && wakeupRequested.compareAndSet(true, false);
    }

    @Override
    public void wakeup() {
        wakeupRequested.set(true);
        signal();
    }

    /** Runs an action in the next poll. */
    public void enqueue(Runnable action) {
        events.add(new Event(0, action));
        signal();
    }

    void enqueueAfterArrivals(Runnable action) {
        try {
            events.add(new Event(ring.publishedCount(), action));
            signal();
        } catch (IllegalStateException queueClosed) {
            // Nobody polls it any more, so there is nobody to tell.
            dropped.increment();
        }
    }

    private void signal() {
        try {
            ring.wakeSleeper();
        } catch (IllegalStateException queueClosed) {
            return;
        }
        for (ProgressSource source : sources) {
            source.wakeup();
        }
    }

    /**
     * For transports whose arrivals come by a thread of this process: publishes an arrival for a connection.
     *
     * @return false when the ring is full; try again later
     */
    public boolean push(AbstractConnection connection, int immediate) {
        return ring.push(connection.queueIndex(), immediate);
    }

    /** Arrivals that the owner has consumed; moves when there is room again. */
    public long consumedCount() {
        return ring.consumedCount();
    }

    /** Gives a connection its index at this queue. */
    synchronized int attach(AbstractConnection connection) {
        if (closed.get()) {
            throw new IllegalStateException("the receive queue is closed");
        }
        // Indices go round, so that a late arrival of a closed connection meets an empty place.
        int limit = ArrivalRingLayout.CONNECTION_INDEX_LIMIT;
        for (int tries = 0; tries < limit; tries++) {
            int index = nextIndex;
            nextIndex = nextIndex + 1 == limit ? 1 : nextIndex + 1;
            if (index >= connections.length) {
                connections = Arrays.copyOf(connections, Math.min(limit, index * 2));
            }
            if (connections[index] == null) {
                AbstractConnection[] changed = connections.clone();
                changed[index] = connection;
                connections = changed;
                return index;
            }
        }
        throw new IllegalStateException("too many connections on one receive queue");
    }

    synchronized void detach(AbstractConnection connection) {
        AbstractConnection[] changed = connections.clone();
        if (connection.equals(changed[connection.queueIndex()])) {
            changed[connection.queueIndex()] = null;
            connections = changed;
        }
    }

    /** True while the waiting thread parks inside the only source, that is, while nobody else brings arrivals. */
    public boolean parksInSource() {
        return sources.length == 1 && otherProducers.get() == 0;
    }

    /** Adds a transport that wants the queue's thread for its progress. */
    public synchronized void addSource(ProgressSource source) {
        ProgressSource[] changed = Arrays.copyOf(sources, sources.length + 1);
        changed[sources.length] = source;
        sources = changed;
        signal();
    }

    /** Removes a transport. */
    public synchronized void removeSource(ProgressSource source) {
        List<ProgressSource> changed = new ArrayList<>(List.of(sources));
        changed.remove(source);
        sources = changed.toArray(NO_SOURCES);
        source.wakeup();
    }

    /** Somebody else than a {@link ProgressSource} brings arrivals now (another process), or no longer. */
    public void countOtherProducer(int change) {
        otherProducers.addAndGet(change);
        wakeup(); // the thread may be parked where the new producer cannot wake it
    }

    /** True after the close. */
    public boolean isClosed() {
        return closed.get();
    }

    /** Arrivals that nobody was there for, for counters and tests. */
    public long droppedCount() {
        return dropped.sum();
    }

    /** Number of attached connections, for leak tests. */
    public int attachedCount() {
        int count = 0;
        for (AbstractConnection connection : connections) {
            count += connection == null ? 0 : 1;
        }
        return count;
    }

    private boolean enter() {
        Thread self = Thread.currentThread();
        Thread before = owner.get();
        if (before != null || !owner.compareAndSet(null, self)) {
            throw new IllegalStateException("the receive queue is used by " + owner.get() + " and by " + self
                    + " at the same time; one thread at a time may poll it");
        }
        if (closed.get()) {
            owner.set(null);
            return false;
        }
        return true;
    }

    private void leave(Thread self) {
        owner.compareAndSet(self, null);
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        for (AbstractConnection connection : connections) {
            if (connection != null) {
                connection.close();
            }
        }
        // The memory goes only when no thread of ours sleeps on it.
        for (int i = 0; i < CLOSE_TRIES; i++) {
            Thread user = owner.get();
            if (user == null || user == Thread.currentThread()) {
                break;
            }
            signal();
            LockSupport.parkNanos(CLOSE_PAUSE_NANOS);
        }
        shared.close();
    }
}
