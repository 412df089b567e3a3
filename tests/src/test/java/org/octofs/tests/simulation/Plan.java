package org.octofs.tests.simulation;

import java.util.random.RandomGenerator;
import org.octofs.client.client.Consistency;
import org.octofs.pmem.pool.GeometryOptions;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.tests.simulation.cluster.ClusterShape;

/**
 * What a seed means: the cluster, the load and the faults. Everything is tiny, so that wrap-around and full come early.
 *
 * @param workersPerClient threads of each client that call it
 * @param rounds stretches of the load under faults, then as many quarter without
 * @param opsPerRound calls of each worker in a stretch, at most
 * @param faultEveryCalls calls between faults, on average; 0 for none
 * @param mayBeFull whether space may run out
 */
record Plan(
        ClusterShape shape,
        int clients,
        int workersPerClient,
        int rounds,
        int opsPerRound,
        int faultEveryCalls,
        boolean serversCrash,
        boolean clientsDie,
        boolean connectionsFail,
        boolean processesPause,
        boolean mayBeFull,
        int hiccupOneIn) {
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000 * MILLI;

    static Plan of(RandomGenerator random) {
        int nodes = 1 + random.nextInt(random.nextBoolean() ? 5 : 3);
        // Shards keep what they own: with few segments for many shards, space ends long before it is used up.
        boolean mayBeFull = random.nextInt(2) == 0;
        long poolBytes = mayBeFull ? 4L << 20 : 16L << 20;
        GeometryOptions geometry = new GeometryOptions(
                mayBeFull ? 4 : 3, 1 << 20, random.nextBoolean() ? 64 << 10 : 256 << 10, 128 << 10, true);
        ClusterShape shape = new ClusterShape(
                nodes,
                mayBeFull ? nodes * (1 + random.nextInt(3)) : nodes,
                poolBytes,
                geometry,
                random.nextInt(3) == 0 ? TransportKind.LOOPBACK : TransportKind.TCP,
                random.nextBoolean() ? 1024 : 256,
                (5 + random.nextInt(10)) * SECOND,
                random.nextBoolean() ? 0 : SECOND,
                random.nextBoolean() ? Consistency.STRICT : Consistency.COHERENT,
                60 * SECOND,
                random.nextBoolean() ? 16 << 10 : 1 << 20,
                random.nextBoolean() ? 5 * MILLI : 2 * SECOND,
                random.nextBoolean() ? 0 : 10 + random.nextInt(500));
        int clients = 1 + random.nextInt(random.nextBoolean() ? 8 : 3);
        boolean faults = random.nextInt(8) != 0;
        return new Plan(
                shape,
                clients,
                clients <= 4 ? 1 + random.nextInt(2) : 1,
                8 + random.nextInt(20),
                1 + random.nextInt(8),
                faults ? 2 + random.nextInt(1 << random.nextInt(7)) : 0,
                faults && random.nextInt(4) != 0,
                faults && random.nextInt(3) == 0,
                faults && random.nextInt(3) != 0,
                faults && random.nextInt(3) == 0,
                mayBeFull,
                random.nextBoolean() ? 0 : 20 + random.nextInt(400));
    }
}
