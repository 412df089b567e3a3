package org.octofs.tests.simulation;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenFile;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.tests.model.Op;
import org.octofs.tests.model.OpKind;
import org.octofs.tests.simulation.cluster.SimClient;

/** Walks the whole tree and looks at everything, as calls of the history. */
final class Inspection {
    private static final int READ_BYTES = 2 << 20;

    private final Simulation simulation;
    private final SimClient client;
    private final OpCaller caller;
    private final OpMaker maker;

    Inspection(Simulation simulation, SimClient client, OpCaller caller, OpMaker maker) {
        this.simulation = simulation;
        this.client = client;
        this.caller = caller;
        this.maker = maker;
    }

    void run() {
        Set<Long> seen = new HashSet<>();
        ArrayDeque<Long> todo = new ArrayDeque<>();
        todo.add(1L);
        while (!todo.isEmpty()) {
            long ino = todo.poll();
            if (!seen.add(ino)) {
                continue;
            }
            Op attributes = call(OpKind.GETATTR, ino, null);
            if (FileMode.isDirectory(attributes.resultMode)) {
                todo.addAll(call(OpKind.READDIR, ino, null).resultNames.values());
            } else if (FileMode.isSymlink(attributes.resultMode)) {
                call(OpKind.READLINK, ino, null);
            } else if (FileMode.isRegular(attributes.resultMode) && simulation.mayInspectData()) {
                look(ino);
            }
        }
    }

    private void look(long ino) {
        OpenFile[] file = new OpenFile[1];
        callOpen(ino, file);
        call(OpKind.READ, ino, file[0]);
        client.files().release(file[0]);
    }

    private void callOpen(long ino, OpenFile[] file) {
        Op op = maker.op(client.number(), OpKind.OPEN, ino);
        long start = simulation.begin(op);
        FsException failure = null;
        try {
            file[0] = caller.call(op, null);
        } catch (FsException e) {
            failure = e;
            op.errno = e.errno().value;
        }
        simulation.end(op, client, failure, start);
        if (failure != null) {
            throw new AssertionError("a file that has a name cannot be opened: " + op, failure);
        }
    }

    private Op call(OpKind kind, long ino, OpenFile file) {
        Op op = maker.op(client.number(), kind, ino);
        op.length = READ_BYTES;
        long start = simulation.begin(op);
        FsException failure = null;
        try {
            caller.call(op, file);
        } catch (FsException e) {
            failure = e;
            op.errno = e.errno().value;
        }
        simulation.end(op, client, failure, start);
        return op;
    }
}
