package org.octofs.tests.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.octofs.client.client.RealTimeClock;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.CommitRequest;
import org.octofs.server.namespace.DentryTable;
import org.octofs.server.namespace.Name;
import org.octofs.server.space.BlockAllocator;
import org.octofs.server.testing.TestClient;
import org.octofs.server.testing.TestServer;

/**
 * Goal: the parts of the hot path that only use the processor take nothing from the heap. Method: the JVM's count of what this thread
 * has allocated, around many calls.
 */
class HotPathAllocationTest {
    private static final int SEGMENT_BLOCKS = 1024;
    private static final int RUN_BLOCKS = 16;

    /** Where results go, so that no call can be left out. */
    private long sink;

    @Test
    void aMessageIsWrittenAndReadWithoutGarbage() throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            MessageBuffer body = new MessageBuffer(arena.allocate(4096, Long.BYTES));
            CommitRequest request = new CommitRequest();
            assertThat(HeapUse.perCall(i -> {
                        request.wrap(body)
                                .ino(i)
                                .baseVersion(2L * i)
                                .sizeBytes(4096)
                                .flags(1);
                        sink += request.wrap(body).ino() + request.baseVersion() + request.flags();
                    }))
                    .isZero();
        }
        assertThat(sink).isPositive();
    }

    @Test
    void blocksAreAllocatedAndFreedWithoutGarbage() throws Exception {
        BlockAllocator allocator = new BlockAllocator();
        allocator.addSegment(BlockLocation.of(0, BlockAllocator.MAX_RUN_BLOCKS), SEGMENT_BLOCKS);
        assertThat(HeapUse.perCall(_ -> {
                    long run = allocator.allocate(0, RUN_BLOCKS);
                    sink += allocator.lastCount();
                    allocator.free(run, allocator.lastCount());
                }))
                .isZero();
        assertThat(sink).isPositive();
        assertThat(allocator.freeBlocks()).isEqualTo(SEGMENT_BLOCKS);
    }

    @Test
    void aNameIsFoundWithoutGarbage() throws Exception {
        try (TestServer world = TestServer.create()) {
            TestClient client = world.connect(11);
            for (int i = 0; i < 100; i++) {
                client.newFile(InodeNumber.ROOT, "file" + i);
            }
            DentryTable dentries = world.server().state().dentries();
            Name name = new Name();
            name.set("file42".getBytes(StandardCharsets.UTF_8));
            assertThat(HeapUse.perCall(_ -> sink += dentries.child(dentries.find(InodeNumber.ROOT, name))))
                    .isZero();
        }
        assertThat(sink).isPositive();
    }

    /** Each write asks for the time. */
    @Test
    void theClockIsReadWithoutGarbage() throws Exception {
        RealTimeClock clock = new RealTimeClock();
        assertThat(HeapUse.perCall(_ -> sink += clock.getAsLong() & 1)).isZero();
    }

    /** The meter is not blind: a call that takes 16 bytes or more is seen. */
    @Test
    void whatIsAllocatedIsSeen() throws Exception {
        Object[] kept = new Object[1];
        assertThat(HeapUse.perCall(i -> kept[0] = new long[1 + i % 2])).isGreaterThanOrEqualTo(16);
    }
}
