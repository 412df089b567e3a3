package org.octofs.tests.simulation;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenFile;
import org.octofs.tests.model.Op;
import org.octofs.tests.model.OpKind;
import org.octofs.tests.simulation.cluster.SimClient;

/** A thread of a client that makes calls, a stretch at a time. */
final class Worker {
    private static final int HANDLES_MAX = 4;
    private static final int AGAIN_MAX = 8;
    private static final long AGAIN_NANOS_MAX = 20_000_000L;
    private static final long POLL_NANOS = 100_000;

    private final Simulation simulation;
    private final SimClient client;
    private final long firstOwner;
    private final boolean isFirst;
    private final List<Handle> handles = new ArrayList<>();
    private int handleCount;
    private int roundsDone;
    private boolean finished;
    private Op current;
    private Thread thread;

    Worker(Simulation simulation, SimClient client, int index) {
        this.simulation = simulation;
        this.client = client;
        this.firstOwner = lockOwners(client.number()) + index * 100_000L;
        this.isFirst = index == 0;
    }

    /** Where the lock owners of a client begin; there are a million of them. */
    static long lockOwners(int client) {
        return (client + 1) * 1_000_000L;
    }

    SimClient client() {
        return client;
    }

    /** The call that it is in the middle of, or null. */
    Op current() {
        return current;
    }

    /** True if the worker has done what it was told, or never will. */
    boolean isIdle(int round) {
        return client.process().isDead() || roundsDone >= round;
    }

    boolean isFinished() {
        return client.process().isDead() || finished;
    }

    /** There is a new stretch, or the end. */
    void wake() {
        LockSupport.unpark(thread);
    }

    void run() {
        thread = Thread.currentThread();
        while (isFirst && client.files() == null) {
            try {
                client.connect();
            } catch (IOException e) {
                simulation.connectFailed(client, e);
            }
        }
        while (client.files() == null) {
            LockSupport.parkNanos(POLL_NANOS);
        }
        OpCaller caller = new OpCaller(client.files(), client.kernel());
        while (!simulation.isOver()) {
            if (simulation.round() > roundsDone) {
                int count = 1 + simulation.random().nextInt(simulation.opsPerRound());
                for (int i = 0; i < count; i++) {
                    act(caller);
                }
                roundsDone = simulation.round();
            } else {
                LockSupport.park(this); // until the next stretch
            }
        }
        while (!handles.isEmpty()) {
            close(caller, handles.getFirst());
        }
        finished = true;
    }

    private void act(OpCaller caller) {
        OpMaker maker = simulation.maker();
        if (!handles.isEmpty() && maker.oneIn(2)) {
            Handle handle = maker.pick(handles);
            if (maker.oneIn(12)) {
                close(caller, handle);
            } else {
                onHandle(caller, maker.withHandle(client.number(), handle), handle);
            }
        } else {
            Op op = maker.withoutHandle(client.number());
            if (op.kind != OpKind.OPEN || (simulation.mayUseData(client, op.ino) && simulation.mayChange(op))) {
                perform(caller, op, null);
            }
            if (client.kernel() != null && (op.kind == OpKind.LOOKUP || op.kind == OpKind.GETATTR)) {
                lookAgain(caller, op);
            }
        }
    }

    private void onHandle(OpCaller caller, Op op, Handle handle) {
        if (op.kind == OpKind.COPY) {
            copy(caller, op, handle);
        } else if (simulation.mayChange(op)) {
            perform(caller, op, handle);
        }
    }

    /** What is read and what is written are not one moment, so that nobody may change the source meanwhile. */
    private void copy(OpCaller caller, Op op, Handle handle) {
        Handle source = simulation.maker().pick(handles);
        simulation.maker().copyFrom(op, source.ino());
        if (simulation.mayChange(op) && simulation.holdStill(op.source)) {
            perform(caller, op, handle, source.file);
            if (!op.isUnknown()) {
                simulation.letGo(op.source); // else it may still come
            }
        }
    }

    /** Leases are for what is looked at often. */
    private void lookAgain(OpCaller caller, Op first) {
        for (int i = simulation.random().nextInt(AGAIN_MAX); i > 0; i--) {
            LockSupport.parkNanos(1 + simulation.random().nextLong(AGAIN_NANOS_MAX));
            Op again = simulation.maker().op(client.number(), first.kind, first.ino);
            again.name = first.name;
            perform(caller, again, null);
        }
    }

    private void close(OpCaller caller, Handle handle) {
        if (handle.isLocked) {
            unlock(caller, handle, OpKind.UNLOCK);
        }
        if (handle.hasRanges) {
            unlock(caller, handle, OpKind.RANGE_UNLOCK);
        }
        perform(caller, simulation.maker().op(client.number(), OpKind.FSYNC, handle.ino()), handle);
        handles.remove(handle);
        client.files().release(handle.file);
    }

    private void unlock(OpCaller caller, Handle handle, OpKind kind) {
        Op unlock = simulation.maker().op(client.number(), kind, handle.ino());
        unlock.owner = handle.lockOwner;
        unlock.onOpenFile = true;
        unlock.length = OpCaller.PIECES;
        perform(caller, unlock, handle);
    }

    private void perform(OpCaller caller, Op op, Handle handle) {
        perform(caller, op, handle, null);
    }

    private void perform(OpCaller caller, Op op, Handle handle, OpenFile source) {
        current = op;
        long start = simulation.begin(op);
        OpenFile opened = null;
        FsException failure = null;
        try {
            if (source != null) {
                caller.copy(op, source, handle.file);
            } else {
                opened = caller.call(op, handle == null ? null : handle.file);
            }
        } catch (FsException e) {
            failure = e;
            op.errno = e.errno().value;
        }
        if (handle != null) {
            handle.called(op);
        }
        current = null;
        simulation.end(op, client, failure, start);
        if (opened != null) {
            if (handles.size() < HANDLES_MAX && simulation.mayUseData(client, opened.ino())) {
                handles.add(new Handle(opened, firstOwner + handleCount++));
            } else {
                client.files().release(opened);
            }
        }
    }
}
