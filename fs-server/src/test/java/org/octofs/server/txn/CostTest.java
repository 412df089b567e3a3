package org.octofs.server.txn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.octofs.server.txn.Scenario.World;

/**
 * Goal: nobody makes a transaction dearer unawares. Method: count calls between servers, one-sided writes, fences until the
 * answer and fences afterwards, and compare with the table here. A change of the table is explained in its commit.
 */
class CostTest {
    /**
     * Until the answer: calls (one COLLECT per participant), fences at the coordinator (one: the commit), fences at participants
     * (one each: the lock record). In all: one-sided writes (two per inode, one per entry, one release word), fences (one
     * more per participant: images and the end of the lock, in one record; more than one transaction may share it).
     */
    private static final Map<Scenario, String> TABLE = new TreeMap<>(Map.ofEntries(
            Map.entry(Scenario.MKDIR, "calls 1, fences 1 + 1, writes 3, fences in all 3"),
            Map.entry(Scenario.RMDIR, "calls 1, fences 1 + 1, writes 3, fences in all 3"),
            Map.entry(Scenario.LINK, "calls 1, fences 1 + 1, writes 3, fences in all 3"),
            Map.entry(Scenario.UNLINK_ONE_OF_TWO, "calls 1, fences 1 + 1, writes 3, fences in all 3"),
            Map.entry(Scenario.UNLINK_LAST, "calls 1, fences 1 + 1, writes 3, fences in all 3"),
            Map.entry(Scenario.RENAME_FILE, "calls 1, fences 1 + 1, writes 4, fences in all 3"),
            Map.entry(Scenario.RENAME_FILE_OVER_FILE, "calls 1, fences 1 + 1, writes 6, fences in all 3"),
            Map.entry(
                    Scenario.RENAME_FILE_OVER_FILE_OF_THIRD_SERVER, "calls 2, fences 1 + 2, writes 7, fences in all 5"),
            Map.entry(Scenario.RENAME_OVER_FILE_IN_SAME_DIRECTORY, "calls 1, fences 1 + 1, writes 3, fences in all 3"),
            Map.entry(Scenario.RENAME_DIRECTORY, "calls 3, fences 1 + 2, writes 7, fences in all 5"),
            Map.entry(Scenario.RENAME_DIRECTORY_OVER_DIRECTORY, "calls 4, fences 1 + 3, writes 9, fences in all 6"),
            Map.entry(Scenario.EXCHANGE_FILES, "calls 1, fences 1 + 1, writes 6, fences in all 3"),
            Map.entry(Scenario.EXCHANGE_FILE_AND_DIRECTORY, "calls 2, fences 1 + 2, writes 7, fences in all 5")));

    @ParameterizedTest
    @EnumSource(Scenario.class)
    void costsWhatTheTableSays(Scenario scenario) {
        try (World w = new World(scenario, 21)) {
            TxnCluster cluster = w.cluster;
            long[] before = fences(cluster);
            long callsBefore = cluster.callCount();
            long writesBefore = cluster.writeCount();
            long[] atAnswer = new long[cluster.nodeCount()];
            long[] calls = new long[1];
            int[] coordinator = new int[1];
            long[] lazyFences = new long[1];
            cluster.observe((step, txnId) -> {
                switch (step) {
                    case ANSWERED -> {
                        coordinator[0] = cluster.stepping();
                        calls[0] = cluster.callCount() - callsBefore;
                        System.arraycopy(fences(cluster), 0, atAnswer, 0, atAnswer.length);
                    }
                    case IMAGES_DURABLE -> lazyFences[0]++;
                    default -> {
                        // Nothing is counted there.
                    }
                }
            });
            TestRequest request = scenario.run(w);
            cluster.await(request);
            assertThat(request.errno()).isZero();
            cluster.settle();
            long own = atAnswer[coordinator[0]] - before[coordinator[0]];
            long others = -own;
            for (int i = 0; i < atAnswer.length; i++) {
                others += atAnswer[i] - before[i];
            }
            String found = "calls " + calls[0] + ", fences " + own + " + " + others + ", writes "
                    + (cluster.writeCount() - writesBefore) + ", fences in all " + (own + others + lazyFences[0]);
            assertThat(found).isEqualTo(TABLE.get(scenario));
        }
    }

    private static long[] fences(TxnCluster cluster) {
        long[] counts = new long[cluster.nodeCount()];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = cluster.node(i).medium.counters().fences();
        }
        return counts;
    }
}
