package org.octofs.client.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.CopyBlocksRequest;

/** The pieces that hold what is not committed, each against a plain model. */
class OverlayTest {
    private static final int BLOCK = BlockLocation.BLOCK_BYTES;

    @Test
    void aPartialBlockLaysExactlyItsBytesOverTheBase() {
        Random random = new Random(17);
        for (int round = 0; round < 200; round++) {
            PartialBlock partial = new PartialBlock();
            partial.begin(1, 2);
            byte[] expected = new byte[BLOCK];
            random.nextBytes(expected);
            MemorySegment base = Arena.ofAuto().allocate(BLOCK);
            MemorySegment.copy(expected, 0, base, ValueLayout.JAVA_BYTE, 0, BLOCK);
            boolean[] written = new boolean[BLOCK];
            for (int i = random.nextInt(12); i >= 0; i--) {
                int from = random.nextInt(BLOCK);
                int to = from + 1 + random.nextInt(BLOCK - from);
                byte[] data = new byte[to - from];
                random.nextBytes(data);
                partial.write(MemorySegment.ofArray(data), 0, from, to);
                System.arraycopy(data, 0, expected, from, data.length);
                java.util.Arrays.fill(written, from, to, true);
            }
            boolean whole = true;
            for (boolean w : written) {
                whole &= w;
            }

            partial.overlay(base, 0);

            assertThat(base.toArray(ValueLayout.JAVA_BYTE))
                    .as("round %d", round)
                    .isEqualTo(expected);
            assertThat(partial.isWhole()).as("round %d", round).isEqualTo(whole);
        }
    }

    @Test
    void pendingBlocksAreFoundUpdatedAndSorted() {
        Random random = new Random(18);
        PendingBlocks pending = new PendingBlocks();
        for (int round = 0; round < 5; round++) {
            TreeMap<Long, Long> model = new TreeMap<>();
            while (model.size() < PendingBlocks.CAPACITY) {
                long block = random.nextLong(1L << 51);
                long location = BlockLocation.of(random.nextInt(3), 1 + random.nextInt(1 << 20));
                pending.put(block, location, (int) block, 0, 0);
                model.put(block, location);
                if (random.nextInt(4) == 0) {
                    pending.put(block, location + 1, (int) block, 0, 0);
                    model.put(block, location + 1);
                }
            }
            pending.sort();
            int place = 0;
            for (var entry : model.entrySet()) {
                int index = pending.ordered(place++);
                assertThat(pending.fileBlock(index)).isEqualTo(entry.getKey());
                assertThat(pending.location(index)).isEqualTo(entry.getValue());
                assertThat(pending.find(entry.getKey())).isEqualTo(index);
            }
            assertThatThrownBy(() -> pending.put(-2, 1, 0, 0, 0)).isInstanceOf(IllegalStateException.class);
            pending.clear();
            assertThat(pending.find(model.firstKey())).isEqualTo(-1);
        }
    }

    /** Streams have a way of their own, until something is out of order. */
    @Test
    void streamsWithJumpsAndOverwritesAreFoundToo() {
        Random random = new Random(19);
        PendingBlocks pending = new PendingBlocks();
        for (int round = 0; round < 300; round++) {
            TreeMap<Long, Long> model = new TreeMap<>();
            long next = 100L + random.nextInt(1000);
            int jumpsAfter = random.nextInt(40);
            for (int step = 0; step < 40 && model.size() < PendingBlocks.CAPACITY - 300; step++) {
                int count = 1 + random.nextInt(random.nextBoolean() ? 3 : 256);
                long from = step < jumpsAfter ? next : next - 20 + random.nextInt(40);
                long location = BlockLocation.of(random.nextInt(3), 1 + random.nextInt(1 << 20));
                int[] checksums = new int[count + 1];
                for (int i = 0; i < count; i++) {
                    checksums[i + 1] = (int) (location + i);
                    model.put(from + i, location + i);
                }
                if (random.nextInt(4) == 0) {
                    for (int i = 0; i < count; i++) {
                        pending.put(from + i, location + i, checksums[i + 1], 0, 0);
                    }
                } else {
                    pending.putRun(from, location, checksums, 1, count);
                }
                next = from + count;
            }
            assertThat(pending.count()).isEqualTo(model.size());
            assertThat(pending.highest()).isEqualTo(model.lastKey());
            assertThat(pending.mayTouch(model.firstKey() - 5, model.firstKey() - 1))
                    .isFalse();
            assertThat(pending.find(model.firstKey() - 1)).isEqualTo(-1);
            assertThat(pending.find(model.lastKey() + 1)).isEqualTo(-1);
            pending.sort();
            int place = 0;
            for (var entry : model.entrySet()) {
                int index = pending.ordered(place++);
                assertThat(pending.fileBlock(index)).isEqualTo(entry.getKey());
                assertThat(pending.location(index)).isEqualTo(entry.getValue());
                assertThat(pending.checksum(index)).isEqualTo((int) (long) entry.getValue());
                assertThat(pending.find(entry.getKey())).isEqualTo(index);
            }
            List<Long> blocks = List.copyOf(model.keySet());
            for (int run = 0, end; run < blocks.size(); run = end) {
                end = run + 1;
                while (end < blocks.size()
                        && blocks.get(end) == blocks.get(end - 1) + 1
                        && model.get(blocks.get(end)) == model.get(blocks.get(end - 1)) + 1) {
                    end++;
                }
                assertThat(pending.runEnd(run)).isEqualTo(end);
            }
            pending.clear();
            assertThat(pending.isEmpty()).isTrue();
        }
    }

    @Test
    void runsEndWhereFilePoolOrNodeJump() {
        PendingBlocks pending = new PendingBlocks();
        int[] checksums = new int[4];
        pending.putRun(5, BlockLocation.of(0, 97), checksums, 0, 3);
        pending.putRun(8, BlockLocation.of(0, 100), checksums, 0, 4);
        pending.putRun(12, BlockLocation.of(1, 104), checksums, 0, 4);
        pending.put(16, BlockLocation.of(1, 108), 0, 0, 0);
        assertThat(pending.isStream()).isTrue();
        assertThat(pending.runEnd(0)).as("runs that follow each other are one").isEqualTo(7);
        assertThat(pending.runEnd(7)).isEqualTo(12);
        pending.clear();
        pending.put(10, BlockLocation.of(0, 100), 0, 0, 0);
        pending.put(11, BlockLocation.of(0, 101), 0, 0, 0);
        pending.put(12, BlockLocation.of(1, 102), 0, 0, 0);
        pending.put(14, BlockLocation.of(1, 103), 0, 0, 0);
        pending.put(15, BlockLocation.of(1, 104), 0, 7, 1);
        pending.sort();

        assertThat(pending.runEnd(0)).as("to another node").isEqualTo(2);
        assertThat(pending.runEnd(2)).as("to a jump in the file").isEqualTo(3);
        assertThat(pending.runEnd(3)).as("a merged block stands alone").isEqualTo(4);
        assertThat(pending.runEnd(4)).isEqualTo(5);
        assertThat(pending.runEnd(1)).as("of the rest of a run").isEqualTo(2);
    }

    @Test
    void loansAreTakenFromTheFrontAndJoined() {
        LoanList loans = new LoanList();
        loans.add(100, 5);
        loans.add(105, 5);
        loans.add(200, 3);
        assertThat(loans.runs()).isEqualTo(2);
        loans.takeFirst(7);
        assertThat(loans.firstLocation()).isEqualTo(107);
        assertThat(loans.firstCount()).isEqualTo(3);
        for (int i = 0; i < 50; i++) {
            loans.add(1000 + 2L * i, 1);
        }
        LoanList other = new LoanList();
        loans.moveTo(other);
        assertThat(loans.isEmpty()).isTrue();
        assertThat(other.blocks()).isEqualTo(56);
        assertThat(other.firstLocation()).isEqualTo(107);
    }

    @Test
    void loansThatArePutBackAreTheFirstAgain() {
        Random random = new Random(19);
        LoanList loans = new LoanList();
        ArrayDeque<Long> model = new ArrayDeque<>();
        long next = 1;
        for (int round = 0; round < 5_000; round++) {
            if (random.nextInt(3) == 0) {
                next += random.nextInt(2);
                int count = 1 + random.nextInt(4);
                loans.add(next, count);
                for (int i = 0; i < count; i++) {
                    model.add(next++);
                }
            }
            ArrayDeque<long[]> taken = new ArrayDeque<>();
            for (int i = random.nextInt(4); i > 0 && !loans.isEmpty(); i--) {
                int count = 1 + random.nextInt(loans.firstCount());
                taken.push(new long[] {loans.firstLocation(), count});
                loans.takeFirst(count);
            }
            boolean keeps = random.nextInt(3) > 0;
            while (!taken.isEmpty()) {
                long[] run = taken.pop();
                if (keeps) {
                    loans.putBack(run[0], (int) run[1]);
                } else {
                    for (int i = 0; i < run[1]; i++) {
                        model.remove(run[0] + i);
                    }
                }
            }
            assertThat(loans.blocks()).isEqualTo(model.size());
            List<Long> listed = new ArrayList<>();
            for (int run = 0; run < loans.runs(); run++) {
                for (int i = 0; i < loans.count(run); i++) {
                    listed.add(loans.location(run) + i);
                }
            }
            assertThat(listed).as("round %d", round).isEqualTo(List.copyOf(model));
        }
    }

    @Test
    void blocksThatTheirNodesHaveCopiedNeedNotBePersisted() {
        PendingBlocks pending = new PendingBlocks();
        int[] checksums = {1, 2, 3, 4};
        pending.putCopied(0, BlockLocation.of(0, 100), checksums, 0, 4);
        pending.putCopied(9, BlockLocation.of(0, 200), checksums, 0, 4);
        assertThat(pending.hasPushed()).isFalse();
        pending.put(20, BlockLocation.of(0, 300), 5, 0, 0);
        assertThat(pending.hasPushed()).isTrue();
        pending.clear();
        pending.putCopied(0, BlockLocation.of(0, 100), checksums, 0, 4);
        assertThat(pending.hasPushed()).isFalse();
        pending.putRun(4, BlockLocation.of(0, 104), checksums, 0, 1);
        assertThat(pending.hasPushed()).isTrue();
    }

    @Test
    void aCopyIsCutIntoRequestsOfOneNodeAndABoundedSize() {
        CopyPlan plan = new CopyPlan();
        plan.begin();
        int most = CopyBlocksRequest.RANGES_MAX;
        plan.add(BlockLocation.of(0, 1000), BlockLocation.of(0, 5000), most - 1);
        plan.add(BlockLocation.of(0, 3000), BlockLocation.of(0, 7000), most + 3);
        plan.add(BlockLocation.of(1, 1000), BlockLocation.of(1, 5000), 2);
        assertThat(plan.blocks()).isEqualTo(2 * most + 4);
        MessageBuffer body = new MessageBuffer(MemorySegment.ofArray(new byte[4096]));
        CopyBlocksRequest request = new CopyBlocksRequest().wrap(body);

        assertThat(plan.requests()).isEqualTo(4);

        assertThat(plan.fill(0, 77, body)).isEqualTo(plan.requestBytes(0));
        assertThat(request.incarnation()).isEqualTo(77);
        assertThat(request.rangesCount()).isEqualTo(2);
        assertThat(request.sourceOffset(1)).isEqualTo(3000L * BLOCK);
        assertThat(request.targetOffset(1)).isEqualTo(7000L * BLOCK);
        assertThat(request.lengthBytes(0)).isEqualTo((most - 1L) * BLOCK);
        assertThat(request.lengthBytes(1)).isEqualTo(BLOCK);
        plan.answered(0);

        plan.fill(1, 77, body);
        assertThat(request.rangesCount()).isEqualTo(1);
        assertThat(request.sourceOffset(0)).isEqualTo(3001L * BLOCK);
        assertThat(request.targetOffset(0)).isEqualTo(7001L * BLOCK);
        assertThat(request.lengthBytes(0)).isEqualTo((long) most * BLOCK);
        plan.answered(1);

        plan.fill(2, 77, body);
        assertThat(request.lengthBytes(0)).isEqualTo(2L * BLOCK);
        assertThat(plan.node(2)).as("the rest of the run, on the same node").isZero();
        assertThat(plan.node(3)).isEqualTo(1);
        assertThat(plan.isOutstanding()).isTrue();
        LoanList loans = new LoanList();
        plan.giveBack(loans);
        assertThat(loans.blocks())
                .as("all but what the outstanding request may copy to")
                .isEqualTo(2 * most + 2);
        plan.answered(2);
        assertThat(plan.isOutstanding()).isFalse();
        LoanList all = new LoanList();
        plan.giveBack(all);
        assertThat(all.blocks()).isEqualTo(2 * most + 4);
        assertThat(all.firstLocation()).isEqualTo(BlockLocation.of(0, 5000));
    }
}
