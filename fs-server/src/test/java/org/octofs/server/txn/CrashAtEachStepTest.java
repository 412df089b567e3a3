package org.octofs.server.txn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.octofs.server.txn.Scenario.World;

/**
 * Goal: whoever crashes, whenever, each operation happens wholly or not at all, what was acknowledged stays, and no lock or
 * slot is left. Method: count the steps of each operation, then crash the server that takes the n-th one, for each n: with what
 * was fenced only or with all that was stored, restarted at once or after the others have gone on, alone or with all others.
 */
class CrashAtEachStepTest {
    private static final long SEED = 11;

    private enum Victims {
        ONE,
        ONE_LATE,
        ALL
    }

    private static final List<TxnCluster.Kept> KEPT = List.of(TxnCluster.Kept.values());

    @ParameterizedTest
    @EnumSource(Scenario.class)
    void isWholeOrNotAtAll(Scenario scenario) {
        List<String> before;
        List<String> after;
        int[] steps = new int[1];
        try (World w = new World(scenario, SEED)) {
            before = w.picture();
            w.cluster.observe((step, txnId) -> steps[0]++);
            TestRequest request = scenario.run(w);
            w.cluster.await(request);
            assertThat(TxnCluster.errnoOf(request)).isEqualTo(org.octofs.rpc.protocol.Errno.OK);
            w.cluster.settle();
            after = w.picture();
        }
        assertThat(after).isNotEqualTo(before);
        assertThat(steps[0]).isGreaterThan(8);
        int happened = 0;
        int runs = 0;
        for (int at = 1; at <= steps[0]; at++) {
            for (Victims victims : Victims.values()) {
                // The enumeration of everything that a medium can hold is not for here: two of three contents each
                // time.
                for (int i = 0; i < 2; i++) {
                    runs++;
                    if (crash(scenario, at, victims, KEPT.get((at + runs) % KEPT.size()), before, after)) {
                        happened++;
                    }
                }
            }
        }
        // Crashes before and after the commit were both met.
        assertThat(happened).isBetween(1, runs - 1);
    }

    private static boolean crash(
            Scenario scenario, int at, Victims victims, TxnCluster.Kept kept, List<String> before, List<String> after) {
        String which = scenario + " crash at step " + at + " of " + victims + ", keeps " + kept;
        try (World w = new World(scenario, SEED)) {
            TxnCluster cluster = w.cluster;
            cluster.crashesKeep(kept);
            int[] steps = new int[1];
            String[] where = new String[] {"nowhere"};
            cluster.observe((step, txnId) -> {
                if (++steps[0] == at) {
                    where[0] = step + " on node " + cluster.stepping();
                    throw new CrashError(cluster.stepping());
                }
            });
            TestRequest request = scenario.run(w);
            for (int i = 0; i < 20_000 && allUp(cluster); i++) {
                if (!cluster.step()) {
                    cluster.clock.advance(1_000_000);
                }
            }
            assertThat(allUp(cluster)).as(which + " did crash").isFalse();
            if (victims == Victims.ALL) {
                for (int i = 0; i < cluster.nodeCount(); i++) {
                    cluster.crash(i);
                }
            } else if (victims == Victims.ONE_LATE) {
                for (int i = 0; i < 1_000; i++) {
                    if (!cluster.step()) {
                        cluster.clock.advance(5_000_000);
                    }
                }
            }
            for (int i = 0; i < cluster.nodeCount(); i++) {
                if (!cluster.isUp(i)) {
                    cluster.start(i);
                }
            }
            cluster.await(request);
            cluster.settle();
            List<String> found = w.picture();
            boolean done = found.equals(after);
            assertThat(found).as(which + " at " + where[0]).isIn(before, after);
            if (request.isAnswered()) {
                boolean ok = request.errno() == 0;
                assertThat(done)
                        .as(which + " at " + where[0] + ", answered " + request.errno())
                        .isEqualTo(ok);
            }
            return done;
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(which + ": " + e.getMessage(), e);
        }
    }

    private static boolean allUp(TxnCluster cluster) {
        for (int i = 0; i < cluster.nodeCount(); i++) {
            if (!cluster.isUp(i)) {
                return false;
            }
        }
        return true;
    }
}
