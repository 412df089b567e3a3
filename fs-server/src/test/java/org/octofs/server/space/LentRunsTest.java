package org.octofs.server.space;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.octofs.rpc.protocol.BlockLocation;

/** Goal: the table of lent runs is exact. Method: random lending and using beside a map from block to client. */
class LentRunsTest {
    private static final int SHARD = 5;
    private static final long TAG = ReservationLayout.tag(SHARD, 3, 77);

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15, 16})
    void behavesAsAMapFromBlockToClient(long seed) {
        Random random = new Random(seed);
        LentRuns runs = new LentRuns(64);
        TreeMap<Long, Long> model = new TreeMap<>();
        int applied = 0;
        int refused = 0;
        for (int step = 0; step < 6000; step++) {
            if (random.nextInt(3) == 0) {
                long block = 256L + random.nextInt(1500);
                int count = 1 + random.nextInt(24);
                long location = BlockLocation.of(random.nextInt(2), block);
                boolean inOneChunk = (location >>> 8) == ((location + count - 1) >>> 8);
                if (inOneChunk
                        && count <= runs.lendable()
                        && model.subMap(location, location + count).isEmpty()) {
                    long client = 1L + random.nextInt(3);
                    runs.add(location, count, client, TAG);
                    for (int i = 0; i < count; i++) {
                        model.put(location + i, client);
                    }
                }
            } else if (!model.isEmpty()) {
                long client = 1L + random.nextInt(3);
                List<long[]> uses = uses(random, model);
                boolean expected = true;
                TreeMap<Long, Long> after = new TreeMap<>(model);
                for (long[] use : uses) {
                    for (int i = 0; i < use[1]; i++) {
                        Long holder = after.remove(use[0] + i);
                        expected &= holder != null && holder == client;
                    }
                }
                runs.planBegin();
                boolean allowed = true;
                for (long[] use : uses) {
                    allowed = allowed && runs.planUse(client, SHARD, use[0], (int) use[1]);
                }
                assertThat(allowed).isEqualTo(expected);
                if (allowed && random.nextInt(4) != 0) {
                    runs.planEnd();
                    runs.planApply();
                    model = after;
                    applied++;
                } else {
                    runs.planCancel();
                    refused++;
                }
            }
            check(runs, model);
        }
        assertThat(applied).isGreaterThan(50);
        assertThat(refused).isGreaterThan(50);
    }

    private static List<long[]> uses(Random random, NavigableMap<Long, Long> model) {
        List<long[]> uses = new ArrayList<>();
        long at = 0;
        for (int n = 1 + random.nextInt(4); n > 0; n--) {
            Long from =
                    model.ceilingKey(at == 0 ? BlockLocation.of(random.nextInt(2), 256L + random.nextInt(1500)) : at);
            if (from == null) {
                break;
            }
            int count = 1;
            while (count < 40 && random.nextInt(12) != 0 && model.get(from).equals(model.get(from + count))) {
                count++;
            }
            if (random.nextInt(30) == 0) {
                count += 2;
            }
            uses.add(new long[] {from, count});
            // Now and then the same block again, which must be refused.
            at = random.nextInt(40) == 0 ? from : from + count + random.nextInt(3);
        }
        return uses;
    }

    private static void check(LentRuns runs, Map<Long, Long> model) {
        Map<Long, Long> found = new HashMap<>();
        int entries = 0;
        for (int entry = 0; entry < runs.ceiling(); entry++) {
            entries += runs.count(entry) > 0 ? 1 : 0;
            for (int i = 0; i < runs.count(entry); i++) {
                assertThat(found.put(runs.location(entry) + i, runs.client(entry)))
                        .isNull();
                assertThat(runs.find(runs.location(entry) + i)).isEqualTo(entry);
            }
        }
        assertThat(found).isEqualTo(model);
        assertThat(runs.lentBlocks()).isEqualTo(model.size());
        assertThat(runs.entries()).isEqualTo(entries);
    }

    @Test
    void usingEverySecondBlockNeverRunsOutOfEntries() {
        LentRuns runs = new LentRuns(8);
        for (long block = 256; runs.lendable() > 0; block += 256) {
            runs.add(BlockLocation.of(0, block), Math.min(runs.lendable(), 5), 1, TAG);
        }
        assertThat(runs.lentBlocks()).isGreaterThan(8);
        for (long block = 256; block < 4096; block++) {
            if (block % 2 == 1 && runs.find(BlockLocation.of(0, block)) != LentRuns.NONE) {
                runs.planBegin();
                assertThat(runs.planUse(1, SHARD, BlockLocation.of(0, block), 1))
                        .isTrue();
                runs.planEnd();
                runs.planApply();
            }
        }
        assertThat(runs.entries()).isEqualTo((int) runs.lentBlocks());
    }

    @Test
    void refusesAnotherClientAndAnotherShard() {
        LentRuns runs = new LentRuns(8);
        long location = BlockLocation.of(0, 300);
        runs.add(location, 10, 1, TAG);
        runs.planBegin();
        assertThat(runs.planUse(2, SHARD, location, 1)).isFalse();
        runs.planCancel();
        runs.planBegin();
        assertThat(runs.planUse(1, SHARD + 1, location, 1)).isFalse();
        runs.planCancel();
        runs.planBegin();
        assertThat(runs.planUse(1, SHARD, location, 11)).isFalse();
        runs.planCancel();
        assertThat(runs.lentBlocks()).isEqualTo(10);
        assertThat(runs.lendable()).isEqualTo(6);
    }

    @Test
    void restoresWhatWasFoundOnMedia() {
        LentRuns runs = new LentRuns(4);
        runs.restore(2, BlockLocation.of(1, 512), 6, 9, TAG);
        runs.recovered();
        assertThat(runs.entries()).isEqualTo(1);
        assertThat(runs.lendable()).isEqualTo(2);
        assertThat(runs.nextFree()).isEqualTo(0);
        runs.remove(2);
        assertThat(runs.lentBlocks()).isZero();
        assertThat(runs.lendable()).isEqualTo(8);
    }
}
