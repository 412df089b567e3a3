package org.octofs.server.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.CopyBlocksRequest;

/** Goal: COPY_BLOCKS copies what it is asked to, durably, or nothing. Method: requests against one node. */
class CopyBlocksTest {
    private static final int BLOCK = BlockLocation.BLOCK_BYTES;

    private final DataNode node = DataNode.create();
    private final Zone data = node.pool.zone(ZoneKind.DATA);
    private final long life = node.pool.openedIncarnation();

    /** Ranges are {source, target, length} each. */
    private Errno copy(long incarnation, long... ranges) {
        int count = ranges.length / 3;
        TestRequest request = node.request(
                OpCode.COPY_BLOCKS, 1, CopyBlocksRequest.FIXED_BYTES + count * CopyBlocksRequest.RANGE_BYTES);
        CopyBlocksRequest message = new CopyBlocksRequest()
                .wrap(request.body())
                .incarnation(incarnation)
                .rangesCount(count);
        for (int i = 0; i < count; i++) {
            message.range(i, ranges[3 * i], ranges[3 * i + 1], ranges[3 * i + 2]);
        }
        assertThat(message.bodyBytes()).isEqualTo(request.body().lengthBytes());
        return Errno.of(node.run(request).errno());
    }

    private long block(int index) {
        return data.offset() + (long) index * BLOCK;
    }

    private void fill(int index, int value) {
        byte[] bytes = new byte[BLOCK];
        Arrays.fill(bytes, (byte) value);
        node.medium.copy(block(index), MemorySegment.ofArray(bytes), 0, BLOCK);
        node.medium.persist(block(index), BLOCK);
    }

    private void assertFilled(int index, int value) {
        assertThat(node.medium.memory().asSlice(block(index), BLOCK).toArray(ValueLayout.JAVA_BYTE))
                .as("block %d", index)
                .containsOnly(value);
    }

    @Test
    void copiesRangesAndMakesThemDurableWithOneFence() {
        for (int i = 0; i < 4; i++) {
            fill(i, i + 1);
        }
        node.medium.startRecording();

        assertThat(copy(life, block(0), block(10), 2 * BLOCK, block(3), block(20), BLOCK))
                .isEqualTo(Errno.OK);

        assertThat(node.medium.fenceCount()).isEqualTo(1);
        assertThat(node.medium.crashImages(10, 1).possibleCount()).isEqualTo(1);
        assertFilled(10, 1);
        assertFilled(11, 2);
        assertFilled(12, 0);
        assertFilled(20, 4);
        assertFilled(0, 1);
    }

    @Test
    void copiesAsMuchAtATimeAsItMayBe() {
        int blocks = CopyBlocksRequest.RANGES_MAX;
        fill(0, 1);
        fill(blocks - 1, 2);
        long bytes = (long) blocks * BLOCK;
        assertThat(copy(life, block(0), block(blocks), bytes)).isEqualTo(Errno.OK);
        assertFilled(blocks, 1);
        assertFilled(2 * blocks - 1, 2);
        assertThat(copy(life, block(0), block(2 * blocks), bytes + BLOCK)).isEqualTo(Errno.EINVAL);
        assertThat(copy(life, block(0), block(blocks), bytes, block(0), block(2 * blocks), BLOCK))
                .isEqualTo(Errno.EINVAL);
    }

    /** Behind a range that is in order. */
    private void assertRefused(long source, long target, long lengthBytes) {
        assertThat(copy(life, block(0), block(10), BLOCK, source, target, lengthBytes))
                .isEqualTo(Errno.EINVAL);
        assertFilled(10, 0);
    }

    @Test
    void refusesAllIfOneRangeIsNotInOrder() {
        fill(0, 1);
        fill(1, 2);
        assertRefused(block(0) - BLOCK, block(20), BLOCK);
        assertRefused(data.endOffset(), block(20), BLOCK);
        assertRefused(block(1), data.offset() - BLOCK, BLOCK);
        assertRefused(block(1), data.endOffset() - BLOCK, 2 * BLOCK);
        assertRefused(block(1), -BLOCK, BLOCK);
        assertRefused(block(1), Long.MIN_VALUE, BLOCK);
        assertRefused(block(1) + 8, block(20), BLOCK);
        assertRefused(block(1), block(20) + 512, BLOCK);
        assertRefused(block(1), block(20), 100);
        assertRefused(block(1), block(20), 0);
        assertRefused(block(1), block(20), -BLOCK);
        assertRefused(block(1), block(1), BLOCK);
        assertRefused(block(1), block(2), 2 * BLOCK);
        assertRefused(block(2), block(1), 2 * BLOCK);
        assertFilled(20, 0);
        assertThat(copy(life)).isEqualTo(Errno.EINVAL);
        // Blocks that touch do not overlap.
        assertThat(copy(life, block(0), block(2), 2 * BLOCK)).isEqualTo(Errno.OK);
        assertFilled(3, 2);
    }

    @Test
    void refusesMoreRangesThanItsBodyHas() {
        TestRequest request = node.request(OpCode.COPY_BLOCKS, 1, CopyBlocksRequest.FIXED_BYTES);
        new CopyBlocksRequest().wrap(request.body()).incarnation(life).rangesCount(1);
        assertThat(Errno.of(node.run(request).errno())).isEqualTo(Errno.EPROTO);
        request = node.request(OpCode.COPY_BLOCKS, 1, CopyBlocksRequest.FIXED_BYTES);
        new CopyBlocksRequest().wrap(request.body()).incarnation(life).rangesCount(CopyBlocksRequest.RANGES_MAX + 1);
        assertThat(Errno.of(node.run(request).errno())).isEqualTo(Errno.EINVAL);
        request = node.request(OpCode.COPY_BLOCKS, 1, CopyBlocksRequest.FIXED_BYTES);
        new CopyBlocksRequest().wrap(request.body()).incarnation(life).rangesCount(-1);
        assertThat(Errno.of(node.run(request).errno())).isEqualTo(Errno.EINVAL);
    }

    /** A request that comes late, to the next life of the server, must not write over what others have by then. */
    @Test
    void refusesWhatIsMeantForAnotherLife() {
        fill(0, 1);
        assertThat(copy(life + 1, block(0), block(10), BLOCK)).isEqualTo(Errno.ECANCELED);
        assertThat(copy(life - 1, block(0), block(10), BLOCK)).isEqualTo(Errno.ECANCELED);
        assertFilled(10, 0);
        assertThat(copy(life, block(0), block(10), BLOCK)).isEqualTo(Errno.OK);
        DataNode later = node.restart();
        assertThat(later.pool.openedIncarnation()).isNotEqualTo(life);
    }
}
