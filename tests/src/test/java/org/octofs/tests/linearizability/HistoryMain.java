package org.octofs.tests.linearizability;

import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.Consistency;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.rpc.cluster.ClusterFile;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.tests.model.Op;
import org.octofs.tests.model.OpKind;
import org.octofs.tests.simulation.OpCaller;

/**
 * A client process that makes random calls on a few names and one shared file, with strict consistency, and writes down when each began
 * and ended. Arguments: cluster file, transport, number of the client, seed, calls, where to write.
 */
final class HistoryMain {
    static final String READY = "ready";
    static final String SHARED = "shared";
    private static final String[] NAMES = {"a", "b", "c"};
    private static final OpKind[] KINDS = {
        OpKind.LOOKUP,
        OpKind.LOOKUP,
        OpKind.GETATTR,
        OpKind.CREATE,
        OpKind.CREATE,
        OpKind.MKDIR,
        OpKind.UNLINK,
        OpKind.UNLINK,
        OpKind.RMDIR,
        OpKind.RENAME,
        OpKind.RENAME,
        OpKind.LINK,
        OpKind.READDIR,
        OpKind.SETMODE,
        OpKind.WRITE,
        OpKind.WRITE,
        OpKind.READ,
        OpKind.READ,
        OpKind.READ,
        OpKind.APPEND,
        OpKind.TRUNCATE,
        OpKind.PUNCH
    };
    private static final int BLOCK = 4096;
    private static final int CLIENT_IDS = 1_000_000;

    private final MonotonicClock clock = new MonotonicClock();
    private final List<Long> directories = new ArrayList<>(List.of(InodeNumber.ROOT));
    private final List<Long> seen = new ArrayList<>();
    private final List<TimedOp> history = new ArrayList<>();
    private final Random random;
    private final int client;
    private final OpCaller caller;
    private final OpenFile shared;
    private int nextId;

    private HistoryMain(FsClient files, int client, long seed) throws FsException {
        this.client = client;
        this.random = new Random(seed);
        this.caller = new OpCaller(files);
        this.nextId = CLIENT_IDS * client + 1;
        Op lookup = new Op(0, client, OpKind.LOOKUP);
        lookup.ino = InodeNumber.ROOT;
        lookup.name = SHARED;
        caller.call(lookup, null);
        shared = files.open(lookup.resultIno, OpenFlags.RDWR);
    }

    /** See the class; begins when a line comes in, so that all processes begin together. */
    @SuppressWarnings("SystemOut") // the test reads it
    public static void main(String[] arguments) throws IOException {
        ClientConfig config = ClientConfig.builder()
                .operationDeadline(Duration.ofSeconds(30))
                .transport(TransportChoice.valueOf(arguments[1]))
                .consistency(Consistency.STRICT)
                .build();
        int calls = Integer.parseInt(arguments[4]);
        try (FsClient files = FsClient.connect(ClusterFile.read(Path.of(arguments[0])), config)) {
            HistoryMain process = new HistoryMain(files, Integer.parseInt(arguments[2]), Long.parseLong(arguments[3]));
            System.out.println(READY);
            if (System.in.read() < 0) {
                return;
            }
            for (int i = 0; i < calls; i++) {
                process.act();
            }
            try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(Path.of(arguments[5])))) {
                out.writeInt(process.history.size());
                for (TimedOp each : process.history) {
                    each.write(out);
                }
            }
        }
    }

    private void act() {
        Op op = new Op(nextId++, client, KINDS[random.nextInt(KINDS.length)]);
        fill(op);
        long begin = clock.nanos();
        try {
            OpenFile opened = caller.call(op, shared);
            long end = clock.nanos();
            history.add(new TimedOp(op, begin, end));
            if (opened != null) {
                caller.release(opened);
            }
            remember(op);
        } catch (FsException e) {
            op.errno = e.errno().value;
            history.add(new TimedOp(op, begin, clock.nanos()));
        }
    }

    private void remember(Op op) {
        if (op.kind == OpKind.MKDIR || (op.kind == OpKind.LOOKUP && FileMode.isDirectory(op.resultMode))) {
            if (directories.size() < 4 && !directories.contains(op.resultIno)) {
                directories.add(op.resultIno);
            }
        } else if (op.resultIno != 0) {
            seen.add(op.resultIno);
        }
    }

    private long directory() {
        return random.nextInt(3) == 0 ? directories.get(random.nextInt(directories.size())) : InodeNumber.ROOT;
    }

    private String name() {
        return NAMES[random.nextInt(NAMES.length)];
    }

    private void fill(Op op) {
        switch (op.kind) {
            case LOOKUP, UNLINK, RMDIR, CREATE, MKDIR, RENAME -> {
                op.ino = directory();
                op.name = name();
                op.flags = op.kind == OpKind.CREATE ? random.nextInt(2) : 0;
                op.mode = op.kind == OpKind.MKDIR ? 0755 : 0640;
            }
            case READDIR -> op.ino = directory();
            case WRITE, READ, APPEND, TRUNCATE, PUNCH -> op.ino = shared.ino();
            default -> op.ino = seen.isEmpty() ? shared.ino() : seen.get(random.nextInt(seen.size()));
        }
        switch (op.kind) {
            case RENAME, LINK -> {
                op.newParent = directory();
                op.newName = name();
                op.flags = op.kind == OpKind.RENAME ? random.nextInt(3) : 0;
            }
            case SETMODE -> op.mode = random.nextInt(01000);
            default -> {}
        }
        op.offset = random.nextInt(4 * BLOCK);
        op.length = 1 + random.nextInt(3 * BLOCK);
        if (op.kind == OpKind.WRITE || op.kind == OpKind.APPEND) {
            op.data = new byte[op.length];
            Arrays.fill(op.data, (byte) (1 + random.nextInt(255)));
        }
    }
}
