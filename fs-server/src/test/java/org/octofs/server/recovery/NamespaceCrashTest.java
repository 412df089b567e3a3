package org.octofs.server.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.octofs.pmem.medium.CrashImages;
import org.octofs.pmem.medium.CrashPoint;
import org.octofs.pmem.medium.RecordingMedium;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.server.check.CheckReport;
import org.octofs.server.check.ClusterCheck;
import org.octofs.server.testing.TestClient;
import org.octofs.server.testing.TestServer;
import org.octofs.server.testing.TreeDump;

/**
 * Goal: whatever event of an operation the machine stops at, and whatever of the unfenced lines is lost, the next start finds the
 * state before or the state after, and the state after if the operation was answered. Method: the recording medium's events
 * one by one, its crash images at each, and a dump of the whole tree.
 */
class NamespaceCrashTest {
    private static final long ROOT = InodeNumber.ROOT;
    private static final int EVENTS_PER_OPERATION = Integer.getInteger("octofs.crash.events", 8);
    private static final int IMAGES_PER_EVENT = 6;

    /** Operations on a tree of d/x, a, b, s. */
    enum Operation {
        CREATE((client, _) -> client.create(ROOT, "new")),
        CREATE_LONG_NAME((client, d) -> client.create(d, "n".repeat(200))),
        MKDIR((client, d) -> client.mkdir(d, "new")),
        UNLINK((client, _) -> client.unlink(ROOT, "a")),
        UNLINK_SYMLINK((client, _) -> client.unlink(ROOT, "s")),
        LINK((client, d) -> {
            client.lookup(ROOT, "a");
            return client.link(client.entry().ino(), d, "l");
        }),
        RENAME_REPLACING((client, _) -> client.rename(ROOT, "a", ROOT, "b", 0)),
        RENAME_ACROSS((client, d) -> client.rename(d, "x", ROOT, "y", 0)),
        EXCHANGE((client, d) -> client.rename(ROOT, "a", d, "x", 2)),
        SYMLINK((client, _) -> client.symlink(ROOT, "t", "target".repeat(300))),
        SETXATTR((client, d) -> client.xattr(OpCode.SETXATTR, d, "user.k", new byte[6000], 0));

        @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
        private final BiFunction<TestClient, Long, Errno> action;

        Operation(BiFunction<TestClient, Long, Errno> action) {
            this.action = action;
        }
    }

    private static long prepare(TestClient client) {
        long directory = client.newDirectory(ROOT, "d");
        client.newDirectory(directory, "x");
        client.newFile(ROOT, "a");
        client.newFile(ROOT, "b");
        assertThat(client.symlink(ROOT, "s", "long".repeat(500))).isEqualTo(Errno.OK);
        return directory;
    }

    @ParameterizedTest
    @EnumSource
    void everyCrashLeavesBeforeOrAfter(Operation operation) {
        MemorySegment start;
        String before;
        String after;
        long directory;
        long events;
        try (TestServer world = TestServer.create()) {
            TestClient client = world.connect(11);
            directory = prepare(client);
            world.medium().startRecording();
            start = world.medium().durableImage();
            before = TreeDump.of(client);
            assertThat(operation.action.apply(client, directory)).isEqualTo(Errno.OK);
            events = world.medium().eventCount();
            after = TreeDump.of(client);
            assertThat(after).isNotEqualTo(before);
            // What was answered survives the loss of everything that was not fenced.
            world.crashAndRestart();
            assertThat(TreeDump.of(client)).isEqualTo(after);
        }
        // A part of the events each time, another part for each operation; the property says how large a part.
        long stride = Math.max(1, events / EVENTS_PER_OPERATION);
        for (long event = 1 + Math.floorMod(operation.name().hashCode(), stride); event <= events; event += stride) {
            crashAt(operation, start, directory, event, before, after);
        }
    }

    private static void crashAt(
            Operation operation, MemorySegment start, long directory, long event, String before, String after) {
        try (TestServer world = TestServer.over(start)) {
            TestClient client = world.connect(11_000 + event);
            client.getAttributes(ROOT);
            world.medium().startRecording();
            world.medium().stopAt(event);
            try {
                Errno outcome = operation.action.apply(client, directory);
                assertThat(outcome)
                        .as("answered although the machine had stopped")
                        .isEqualTo(Errno.EIO);
            } catch (CrashPoint e) {
                assertThat(e).hasMessageContaining("stops");
            }
            CrashImages images = world.medium().crashImages(2, event);
            long skipped = Math.max(1, Math.min(images.possibleCount(), 400) / IMAGES_PER_EVENT);
            AtomicLong index = new AtomicLong(event);
            images.forEach(image -> {
                if (index.getAndIncrement() % skipped != 0) {
                    return;
                }
                isInOrder(image);
                try (TestServer recovered = TestServer.over(image)) {
                    TestClient reader = recovered.connect(77);
                    assertThat(TreeDump.of(reader))
                            .as("%s stopped at event %d", operation, event)
                            .isIn(before, after);
                    // And the pool can still be worked with.
                    reader.newFile(ROOT, "probe");
                    isInOrder(recovered.medium().memory());
                }
            });
            world.abandon();
        }
    }

    private static void isInOrder(MemorySegment image) {
        CheckReport report = ClusterCheck.run(List.of(RecordingMedium.of(image)));
        assertThat(report.errors()).as("%s", report).isEmpty();
    }
}
