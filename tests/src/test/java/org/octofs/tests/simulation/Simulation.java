package org.octofs.tests.simulation;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.octofs.client.client.Consistency;
import org.octofs.client.client.FsException;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.tests.model.FsModel;
import org.octofs.tests.model.FsState;
import org.octofs.tests.model.HistoryChecker;
import org.octofs.tests.model.Op;
import org.octofs.tests.model.OpKind;
import org.octofs.tests.simulation.cluster.SimClient;
import org.octofs.tests.simulation.cluster.SimCluster;
import org.octofs.tests.simulation.cluster.SimServer;
import org.octofs.tests.simulation.world.SimWorld;
import org.octofs.tests.simulation.world.Trace;

/**
 * One run: a cluster and its load from a seed, first with faults, then without; every call is checked against the model as soon as a
 * stretch of calls has ended, and everything must come to an end once there are no faults.
 *
 * <p>What counts as allowed: an EIO while there are faults, when the call's deadline has passed or data that nobody had made durable was
 * lost with a server; the outcome of such a call is unknown. With close-to-open consistency each file is used by one client.
 */
public final class Simulation {
    private static final int ROOT_MODE = 0755;
    private static final long CALM_NANOS_MAX = 400_000_000_000L;
    private static final long STEPS_MAX = 4_000_000;

    private static final int UNKNOWN_MAX = 3;
    private static final int STATES_MAX = 16;

    private final long seed;
    private final Trace trace;
    private final SimWorld world;
    private final Plan plan;
    private final SimCluster cluster;
    private final FsModel model;
    private final HistoryChecker checker;
    private final OpMaker maker;
    private final Faults faults;
    private final List<Worker> workers = new ArrayList<>();
    private final List<Runnable> history = new ArrayList<>();
    private final Map<Op, Long> unknown = new HashMap<>();
    private final Map<Long, Integer> owners = new HashMap<>();
    private final Set<Long> unsynced = new HashSet<>();
    private final Set<Long> fuzzy = new HashSet<>();
    private final Set<Long> still = new HashSet<>();
    private final Set<Long> uncertain = new HashSet<>();
    private int round;
    private boolean calm;
    private boolean over;
    private boolean exact;
    private long calls;
    private int noSpace;
    private int unknownOutcomes;
    private long lastDeath = Long.MIN_VALUE / 2;

    /** A run that has not begun. */
    public Simulation(long seed, Trace trace) {
        this.seed = seed;
        this.trace = trace;
        this.plan = Plan.of(new SplittableRandom(seed));
        this.world = new SimWorld(seed, trace);
        world.note("seed " + seed + " " + plan);
        this.cluster = new SimCluster(world, plan.shape());
        cluster.kernels(new SplittableRandom(~seed).nextInt(3) != 0);
        this.model = new FsModel(plan.mayBeFull(), this::seesSize);
        this.checker = new HistoryChecker(model, FsState.empty(ROOT_MODE));
        this.maker = new OpMaker(world.random(), !isStrict(), plan.mayBeFull());
        this.faults = new Faults(world, cluster, plan, this);
    }

    private boolean isStrict() {
        return plan.shape().consistency() == Consistency.STRICT;
    }

    private boolean seesSize(int client, long ino) {
        return exact || isStrict() || owners.getOrDefault(ino, -1) == client;
    }

    /** Runs to the end; throws what is wrong. */
    public void run() {
        cluster.network().hiccups(plan.hiccupOneIn());
        cluster.servers().forEach(SimServer::start);
        for (int i = 0; i < plan.clients(); i++) {
            addClient();
        }
        faults.begin();
        while (round < plan.rounds()) {
            nextRound();
        }
        calmDown();
        int last = round + 2 + plan.rounds() / 4;
        while (round < last) {
            nextRound();
        }
        end();
    }

    /**
     * Lets everything pass that is under way, without new faults, so that calls of unknown outcome have had it or never will; and looks
     * which it was.
     */
    private void settle() {
        world.note("settles");
        faults.pause(true);
        stepUntil("the starts of servers", () -> cluster.servers().stream().allMatch(s -> s.server() != null));
        waitFor(plan.shape().operationNanos() + 4 * plan.shape().leaseNanos());
        check();
        unknown.keySet().forEach(checker::forget);
        unknown.clear();
        checker.changeStates(state ->
                state.withoutLocks(owner -> faults.deadClients().contains((int) (owner / 1_000_000) - 1)));
        inspect();
        faults.pause(false);
    }

    private void nextRound() {
        FsState state = checker.someState();
        maker.directories.clear();
        maker.others.clear();
        maker.files.clear();
        state.modes().forEach((ino, mode) -> {
            if (ino > 0) {
                (FileMode.isDirectory(mode) ? maker.directories : maker.others).add(ino);
                if (FileMode.isRegular(mode)) {
                    maker.files.add(ino);
                }
            }
        });
        round++;
        workers.forEach(Worker::wake);
        stepUntil("the calls of a stretch", () -> workers.stream().allMatch(worker -> worker.isIdle(round)));
        check();
        if (unknown.size() >= UNKNOWN_MAX || checker.stateCount() > STATES_MAX) {
            settle();
        }
        workers.removeIf(worker -> worker.client().process().isDead());
        while (workers.stream().map(Worker::client).distinct().count() < plan.clients()) {
            addClient();
        }
    }

    void addClient() {
        SimClient client = cluster.client();
        for (int i = 0; i < plan.workersPerClient(); i++) {
            Worker worker = new Worker(this, client, i);
            workers.add(worker);
            client.process().start("worker" + i, worker::run);
        }
    }

    /** Feeds the checker what has happened since the last time; nobody is in the middle of a call that will end. */
    private void check() {
        history.forEach(Runnable::run);
        history.clear();
        mayLoseLocks(faults.deadClients());
        long oldest = world.now() - 3 * plan.shape().operationNanos();
        unknown.entrySet().removeIf(entry -> {
            if (entry.getValue() < oldest) {
                checker.forget(entry.getKey());
            }
            return entry.getValue() < oldest;
        });
    }

    private void stepUntil(String what, java.util.function.BooleanSupplier condition) {
        long end = world.now() + CALM_NANOS_MAX + (calm ? 0 : 10 * CALM_NANOS_MAX);
        long lastStep = world.steps() + STEPS_MAX;
        while (!condition.getAsBoolean()) {
            if (world.now() > end || world.steps() > lastStep) {
                throw new AssertionError("no end of " + what + " after " + world.steps() + " steps; under way: "
                        + workers.stream()
                                .filter(worker -> !worker.isIdle(round))
                                .map(Worker::current)
                                .toList());
            }
            world.step();
        }
    }

    private void waitFor(long nanos) {
        long end = world.now() + nanos;
        stepUntil("waiting", () -> world.now() >= end);
    }

    /** No more faults: everything must work from here on, as soon as what had begun has passed. */
    private void calmDown() {
        faults.end();
        world.note("calm");
        stepUntil("the starts of servers", () -> cluster.servers().stream().allMatch(s -> s.server() != null));
        waitFor(4 * plan.shape().leaseNanos());
        calm = true;
    }

    private void end() {
        over = true;
        round++;
        workers.forEach(Worker::wake);
        stepUntil("the ends of workers", () -> workers.stream().allMatch(Worker::isFinished));
        check();
        List<SimClient> clients =
                workers.stream().map(Worker::client).distinct().toList();
        int[] closed = new int[1];
        for (SimClient client : clients) {
            client.process().start("closer", () -> {
                client.files().close();
                closed[0]++;
            });
        }
        stepUntil("the closes of clients", () -> closed[0] == clients.size());
        exact = true;
        unknown.keySet().forEach(checker::forget);
        inspect();
        cluster.servers().forEach(SimServer::stop);
        stepUntil("the stops of servers", () -> cluster.servers().stream().allMatch(SimServer::isStopped));
        new PoolsCheck(cluster).run();
        world.note("end after " + calls + " calls");
    }

    /** A fresh client looks at everything. */
    private void inspect() {
        SimClient inspector = cluster.client();
        boolean[] done = new boolean[1];
        inspector.process().start("inspector", () -> {
            try {
                OpCaller caller = new OpCaller(inspector.connect());
                new Inspection(this, inspector, caller, maker).run();
                inspector.files().close();
                done[0] = true;
            } catch (IOException e) {
                throw new IllegalStateException("the last client cannot connect", e);
            }
        });
        stepUntil("the last look", () -> done[0]);
        check();
    }

    // What workers ask and tell.

    RandomGenerator random() {
        return world.random();
    }

    OpMaker maker() {
        return maker;
    }

    int round() {
        return round;
    }

    int opsPerRound() {
        return plan.opsPerRound();
    }

    boolean isOver() {
        return over;
    }

    void connectFailed(SimClient client, IOException e) {
        world.note("cannot connect " + client.process().name() + ": " + e.getMessage());
        if (calm) {
            throw new IllegalStateException("a client cannot connect although there are no faults", e);
        }
    }

    /** Whether what a new client reads from files is exact. */
    boolean mayInspectData() {
        return exact || isStrict();
    }

    boolean mayUseData(SimClient client, long ino) {
        return isStrict() || owners.getOrDefault(ino, -1) == client.number();
    }

    /** A call begins; answers when. */
    long begin(Op op) {
        calls++;
        world.note("call " + op);
        faults.onCall();
        history.add(() -> checker.begin(op));
        if (!isStrict() && op.changesData()) {
            unsynced.add(op.ino);
        }
        return world.now();
    }

    /** A call has ended. */
    void end(Op op, SimClient client, FsException failure, long startNanos) {
        world.note("done " + op + (failure == null ? "" : " " + failure.getMessage()));
        op.mayBeRefused = world.now() - lastDeath < 4 * plan.shape().leaseNanos();
        boolean known = op.errno == 0 || isAnswer(op, failure, world.now() - startNanos);
        if (op.errno == 0 && (op.kind == OpKind.TMPFILE || (op.kind == OpKind.CREATE && (op.flags & 1) != 0))) {
            owners.put(op.resultIno, client.number());
        }
        if (op.errno == 0 && op.kind == OpKind.FSYNC && !isBeingWritten(op.ino)) {
            unsynced.remove(op.ino);
        }
        if (op.errno == Errno.ENOSPC.value) {
            noSpace++;
            if (!isStrict() && op.isOnData()) {
                // What was written before and not synced has found no space either, perhaps: an fsync tells of commits
                // in the background.
                makeFuzzy(op.ino);
            }
        }
        if (!known) {
            unknownOutcomes++;
            op.errno = Op.UNKNOWN;
            unknown.put(op, world.now());
            uncertain.add(op.ino);
            if (!isStrict() && op.isOnData()) {
                makeFuzzy(op.ino);
            }
        }
        if (op.kind == OpKind.LOCK || op.kind == OpKind.RANGE_LOCK) {
            // What somebody held who has died by now may be free by now.
            Set<Integer> dead = Set.copyOf(faults.deadClients());
            history.add(() -> mayLoseLocks(dead));
        }
        history.add(() -> checker.end(op));
    }

    private boolean isBeingWritten(long ino) {
        return workers.stream().map(Worker::current).anyMatch(op -> op != null && op.ino == ino && op.changesData());
    }

    /** Whether nobody changes a file's content from now on, until {@link #letGo}. */
    boolean holdStill(long ino) {
        boolean mayBeChanged =
                isBeingWritten(ino) || unknown.keySet().stream().anyMatch(op -> op.ino == ino && op.changesData());
        return !mayBeChanged && still.add(ino);
    }

    /** The file may be changed again. */
    void letGo(long ino) {
        still.remove(ino);
    }

    /** Whether the call would leave alone what somebody holds still. */
    boolean mayChange(Op op) {
        return !op.changesData() || !still.contains(op.ino);
    }

    private void mayLoseLocks(Set<Integer> clients) {
        for (int client : clients) {
            checker.mayChangeStates(state -> state.withoutLocks(owner -> owner / 1_000_000 == client + 1));
        }
    }

    private boolean isAnswer(Op op, FsException failure, long tookNanos) {
        if (failure.errno() != Errno.EIO) {
            return true;
        }
        boolean late = tookNanos >= plan.shape().operationNanos() * 9 / 10;
        boolean lost = failure.getMessage().contains("lost") || fuzzy.contains(op.ino) || fuzzy.contains(op.source);
        // Told with the next fsync of any handle, maybe long after.
        boolean deferred = switch (op.kind) {
            case FSYNC, FLUSH -> uncertain.contains(op.ino);
            case SYNC -> !uncertain.isEmpty();
            default -> false;
        };
        if (!deferred && (calm || (!late && !lost))) {
            throw new AssertionError("an error that cannot be explained: " + op + ": " + failure.getMessage(), failure);
        }
        return false;
    }

    private void makeFuzzy(long ino) {
        fuzzy.add(ino);
        uncertain.add(ino);
        // From its first uncertain write on: the calls of this stretch are checked later.
        history.add(() -> checker.changeStates(state -> state.withFuzzy(ino)));
    }

    /**
     * A server has died. What was pushed to it and not yet made durable is lost; who has written it learns of that with the next fsync.
     */
    void serverDied() {
        lastDeath = world.now();
        if (!isStrict() && plan.shape().transport() == TransportKind.TCP) {
            List.copyOf(unsynced).forEach(this::makeFuzzy);
        }
    }

    /** A client has died: what it had not made durable is anybody's guess. */
    void clientDied(SimClient client) {
        for (long ino : List.copyOf(unsynced)) {
            if (owners.getOrDefault(ino, -1) == client.number()) {
                makeFuzzy(ino);
            }
        }
        workers.stream()
                .filter(worker -> worker.client() == client)
                .map(Worker::current)
                .filter(java.util.Objects::nonNull)
                .forEach(op -> unknown.put(op, world.now()));
    }

    List<SimClient> clients() {
        return workers.stream().map(Worker::client).distinct().toList();
    }

    /** What was done to the cluster, and what that made scarce, with how often. */
    public Map<String, Integer> faultCounts() {
        Map<String, Integer> counts = new TreeMap<>(faults.counts());
        counts.put("call found no space", noSpace);
        counts.put("call answered out of a kernel's cache", cluster.keptAnswers());
        counts.put("call of unknown outcome", unknownOutcomes);
        return counts;
    }

    /** Calls made. */
    public long calls() {
        return calls;
    }

    /** Steps made. */
    public long steps() {
        return world.steps();
    }

    /** What this run is, in a line. */
    @Override
    public String toString() {
        return "seed " + seed + ": " + calls + " calls, " + world.steps() + " steps, " + faults.count() + " faults, "
                + world.now() / 1_000_000 + " ms, hash " + Long.toHexString(trace.hash());
    }
}
