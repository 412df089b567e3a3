package org.octofs.tests.linearizability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.octofs.rpc.cluster.ClusterFile;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.tests.model.FsModel;
import org.octofs.tests.model.FsState;
import org.octofs.tests.model.HistoryChecker;
import org.octofs.tests.model.HistoryChecker.NotLinearizableException;
import org.octofs.tests.model.Op;
import org.octofs.tests.model.OpKind;
import org.octofs.tests.simulation.OpCaller;
import org.octofs.tests.support.LocalCluster;
import org.octofs.tests.support.TestJvm;

/**
 * Goal: what two real client processes see of each other fits one order. Method: both make random calls on the same few names and the
 * same file, with strict consistency, and note the times by the clock that they share; the checker looks for an order. The same
 * history with an answer from before must be rejected.
 */
@Timeout(180)
class TwoProcessesTest {
    private static final int PROCESSES = 2;
    private static final int CALLS = 1000;

    @TempDir
    Path directory;

    private final MonotonicClock clock = new MonotonicClock();
    private int nextId = 1;

    @ParameterizedTest
    @EnumSource(
            value = LocalCluster.Transport.class,
            names = {"SHM", "TCP"})
    void whatTwoProcessesSeeFitsOneOrder(LocalCluster.Transport transport) throws Exception {
        long seed = new SecureRandom().nextInt();
        System.out.println("two processes over " + transport + ", seed " + seed);
        try (LocalCluster cluster = LocalCluster.start(2, transport)) {
            OpCaller caller = new OpCaller(cluster.client());
            List<TimedOp> history = new ArrayList<>();
            history.add(call(caller, OpKind.GETATTR, InodeNumber.ROOT, ""));
            Op create = op(OpKind.CREATE, InodeNumber.ROOT, HistoryMain.SHARED);
            create.flags = 1;
            create.mode = 0644;
            history.add(timed(caller, create));
            runProcesses(cluster, seed, history);
            history.add(call(caller, OpKind.READDIR, InodeNumber.ROOT, ""));
            history.add(call(caller, OpKind.GETATTR, create.resultIno, ""));

            check(history);
            assertThat(overlaps(history))
                    .as("calls that overlap one of the other process")
                    .isGreaterThan(CALLS / 4);
            rejectAStaleAnswer(history);
        }
    }

    /** The last answer to GETATTR of the file becomes that of a file which the other process had not changed yet. */
    private void rejectAStaleAnswer(List<TimedOp> history) {
        List<TimedOp> bad = new ArrayList<>(history);
        long after = clock.nanos();
        Op write = op(OpKind.TRUNCATE, history.getLast().op().ino, "");
        write.errno = 0;
        write.offset = history.getLast().op().resultSize + 1;
        bad.add(new TimedOp(write, after, after + 10));
        Op stale = op(OpKind.GETATTR, write.ino, "");
        Op last = history.getLast().op();
        stale.errno = 0;
        stale.resultMode = last.resultMode;
        stale.resultLinks = last.resultLinks;
        stale.resultSize = last.resultSize;
        bad.add(new TimedOp(stale, after + 20, after + 30));
        assertThatThrownBy(() -> check(bad)).isInstanceOf(NotLinearizableException.class);
    }

    private Op op(OpKind kind, long ino, String name) {
        Op op = new Op(nextId++, 0, kind);
        op.ino = ino;
        op.name = name;
        return op;
    }

    private TimedOp call(OpCaller caller, OpKind kind, long ino, String name) throws IOException {
        return timed(caller, op(kind, ino, name));
    }

    private TimedOp timed(OpCaller caller, Op op) throws IOException {
        long begin = clock.nanos();
        caller.call(op, null);
        return new TimedOp(op, begin, clock.nanos());
    }

    private void runProcesses(LocalCluster cluster, long seed, List<TimedOp> history) throws Exception {
        Path file = directory.resolve("cluster");
        ClusterFile.write(file, cluster.map());
        List<Process> processes = new ArrayList<>();
        try {
            for (int client = 1; client <= PROCESSES; client++) {
                processes.add(start(cluster, file, client, seed + client));
            }
            for (Process process : processes) {
                BufferedReader output =
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
                assertThat(output.readLine()).isEqualTo(HistoryMain.READY);
            }
            for (Process process : processes) {
                process.getOutputStream().write('\n');
                process.getOutputStream().flush();
            }
            for (int client = 1; client <= PROCESSES; client++) {
                Process process = processes.get(client - 1);
                assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
                assertThat(process.exitValue()).as("exit of a client process").isZero();
                try (DataInputStream in = new DataInputStream(Files.newInputStream(output(client)))) {
                    for (int left = in.readInt(); left > 0; left--) {
                        history.add(TimedOp.read(in));
                    }
                }
            }
        } finally {
            processes.forEach(process -> process.destroyForcibly().onExit().join());
        }
    }

    private Path output(int client) {
        return directory.resolve("history" + client);
    }

    private Process start(LocalCluster cluster, Path file, int client, long seed) throws IOException {
        return TestJvm.of(
                        HistoryMain.class,
                        TestJvm.SMALL,
                        file.toString(),
                        cluster.choice().name(),
                        Integer.toString(client),
                        Long.toString(seed),
                        Integer.toString(CALLS),
                        output(client).toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private record Event(long nanos, boolean isBegin, Op op) {}

    private static void check(List<TimedOp> history) {
        List<Event> events = new ArrayList<>();
        int rootMode = history.getFirst().op().resultMode & 07777;
        for (TimedOp each : history) {
            events.add(new Event(each.beginNanos(), true, each.op()));
            events.add(new Event(each.endNanos(), false, each.op()));
        }
        // Of the same nanosecond, what begins may have been there before what ends.
        events.sort(Comparator.comparingLong(Event::nanos).thenComparing(event -> !event.isBegin()));
        HistoryChecker checker = new HistoryChecker(new FsModel(false, (client, ino) -> true), FsState.empty(rootMode));
        for (Event event : events) {
            if (event.isBegin()) {
                checker.begin(event.op());
            } else {
                checker.end(event.op());
            }
        }
        assertThat(checker.checkedCount()).isEqualTo(history.size());
    }

    private static long overlaps(List<TimedOp> history) {
        return history.stream()
                .filter(one -> history.stream()
                        .anyMatch(other -> other.op().client != one.op().client
                                && other.beginNanos() <= one.endNanos()
                                && one.beginNanos() <= other.endNanos()))
                .count();
    }
}
