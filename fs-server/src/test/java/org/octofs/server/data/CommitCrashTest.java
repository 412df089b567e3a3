package org.octofs.server.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.octofs.pmem.PoolCorruptException;
import org.octofs.pmem.medium.CrashImages;
import org.octofs.pmem.medium.CrashPoint;
import org.octofs.pmem.medium.RecordingMedium;
import org.octofs.rpc.protocol.CommitFlags;
import org.octofs.server.data.CommitBuilder.Grant;
import org.octofs.server.store.InodeRecord;

/**
 * Goal: whatever a crash leaves behind, the file is as before or as after each operation, as after if it was answered, and
 * every block is either free, lent, or part of the file. Method: three operations in a row on a recording medium, stopped at
 * each event, with the crash images of that moment; then the same with each flush and fence left out, which must be noticed.
 */
class CommitCrashTest {
    private static final long CLIENT = 100;
    private static final int SHARD = 0;
    private static final int BLOCK = 4096;
    private static final int IMAGES = 4;

    /** What a file looks like, and what is lent. */
    private record View(long size, long blocks, List<Long> locations, long lent) {}

    private final DataNode start =
            DataNode.create(0, 1, 4L << 20, 128 << 10, new DataNode.Network(), new DataNode.TestClock());
    private final long ino = start.createFile(SHARD);
    private final Grant grant = CommitBuilder.grants(CommitBuilder.reserve(start, CLIENT, ino, 0, 40))
            .get(0);

    CommitCrashTest() {
        new CommitBuilder(start, CLIENT, ino)
                .map(0, grant.location(), 3)
                .size(3L * BLOCK, 0)
                .run();
        start.store.checkpoint();
    }

    private static View view(DataNode node, long ino) {
        InodeRecord inode = node.inode(ino);
        List<Long> locations = new ArrayList<>();
        for (long block : new long[] {0, 1, 2, 5, 6, 7, 8, 9, 300, 301}) {
            locations.add(node.files.reader().location(inode, block));
        }
        return new View(
                inode.sizeBytes(),
                inode.blocks(),
                locations,
                node.files.space().reservations().lentBlocks());
    }

    /** Overwrites, leaves the inline entries, adds levels; punches and overwrites below; zeroes over several leaves; truncates. */
    private List<Runnable> operations(DataNode node) {
        long at = grant.location();
        return List.of(
                () -> run(
                        node,
                        new CommitBuilder(node, CLIENT, ino)
                                .map(1, at + 10, 1)
                                .map(6, at + 11, 3)
                                .map(300, at + 20, 2)
                                .size(302L * BLOCK, 0)
                                .want(6)),
                () -> run(
                        node,
                        new CommitBuilder(node, CLIENT, ino)
                                .hole(2, 5)
                                .map(7, at + 14, 1)
                                .size(1, 0)),
                () -> run(
                        node, new CommitBuilder(node, CLIENT, ino).zeros(1, 400).size(0, 0)),
                () -> run(node, new CommitBuilder(node, CLIENT, ino).size(8L * BLOCK, CommitFlags.SET_SIZE)));
    }

    /** Past the dispatcher, which would take the crash for a failure of the operation. */
    private static void run(DataNode node, CommitBuilder commit) {
        TestRequest request = commit.build();
        new CommitHandler(node.files).handle(request, node.state);
        assertThat(request.errno()).isZero();
    }

    private List<View> views() {
        DataNode node = start.restart();
        List<View> views = new ArrayList<>(List.of(view(node, ino)));
        for (Runnable operation : operations(node)) {
            operation.run();
            views.add(view(node, ino));
        }
        assertThat(views).doesNotHaveDuplicates();
        return views;
    }

    @Test
    void everyCrashImageIsBeforeOrAfter() {
        List<View> views = views();
        int images = 0;
        long stop = 1;
        boolean finished = false;
        while (!finished) {
            DataNode node = start.restart();
            node.medium.startRecording().stopAt(stop);
            int answered = 0;
            try {
                for (Runnable operation : operations(node)) {
                    operation.run();
                    answered++;
                }
                finished = true;
            } catch (CrashPoint expected) {
                // The crash that was asked for.
            }
            CrashImages possible = node.medium.crashImages(IMAGES, stop);
            int done = answered;
            if (possible.possibleCount() == Long.MAX_VALUE) {
                // In the middle of filling pages, word after word, that nothing reaches yet.
                check(node.medium.durableImage(), views, done);
                images++;
                stop += 101;
            } else {
                images += possible.forEach(image -> check(image, views, done));
                stop += 2;
            }
        }
        assertThat(images).isGreaterThan(300);
    }

    /** Without the fence before the record, it may be durable before the pages that it links. */
    @Test
    void newPagesAreDurableBeforeTheRecordThatLinksThem() {
        List<View> views = views();
        DataNode node = start.restart();
        node.medium.startRecording();
        operations(node).get(0).run();
        assertThat(node.medium.fenceCount()).isEqualTo(2);
        long stop = node.medium.eventCount();
        while (node.medium.fenceCount() != 1) {
            node = stopped(--stop, -1);
        }
        assertThat(isNoticed(stopped(stop, -1).medium, views, 0)).isFalse();
        assertThat(isNoticed(stopped(stop, 0).medium, views, 0)).isTrue();
    }

    private DataNode stopped(long stop, long withoutFence) {
        DataNode node = start.restart();
        node.medium.startRecording().stopAt(stop).dropFence(withoutFence);
        try {
            operations(node).get(0).run();
        } catch (CrashPoint expected) {
            // The crash that was asked for.
        }
        return node;
    }

    private boolean isNoticed(RecordingMedium medium, List<View> views, int answered) {
        try {
            medium.crashImages(IMAGES, 1).forEach(image -> check(image, views, answered));
            return false;
        } catch (AssertionError | PoolCorruptException expected) {
            return true;
        }
    }

    private void check(MemorySegment image, List<View> views, int answered) {
        // Recovery itself refuses a block or a page that is used twice.
        DataNode recovered = start.restart(image);
        View found = view(recovered, ino);
        List<View> allowed = views.subList(answered, Math.min(answered + 2, views.size()));
        assertThat(allowed).contains(found);
        recovered.settle();
        assertThat(recovered.files.totalBlocks() - recovered.files.freeBlocks())
                .as("blocks that are used")
                .isEqualTo(found.blocks());
        long owned = recovered.files.space().allocator(SHARD).ownedBlocks(0);
        assertThat(owned - recovered.files.space().allocator(SHARD).freeBlocks())
                .as("blocks that cannot be allocated")
                .isEqualTo(found.blocks() + found.lent());
    }

    @Test
    void leavingOutAFlushOrTheLastFenceOfAnOperationIsNoticed() {
        List<View> views = views();
        for (int operation = 0; operation < 3; operation++) {
            DataNode counting = start.restart();
            List<Runnable> all = operations(counting);
            all.subList(0, operation).forEach(Runnable::run);
            counting.medium.startRecording();
            all.get(operation).run();
            long flushes = counting.medium.flushCount();
            long lastFence = counting.medium.fenceCount() - 1;
            for (long drop = 0; drop <= flushes; drop++) {
                DataNode node = start.restart();
                List<Runnable> operations = operations(node);
                operations.subList(0, operation).forEach(Runnable::run);
                node.medium.startRecording().dropFlush(drop).dropFence(drop == flushes ? lastFence : -1);
                operations.get(operation).run();
                assertThat(isNoticed(node.medium, views, operation + 1))
                        .as("operation %d without flush %d of %d (the last is the fence)", operation, drop, flushes)
                        .isTrue();
            }
        }
    }
}
