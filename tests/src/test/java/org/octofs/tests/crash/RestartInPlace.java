package org.octofs.tests.crash;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.octofs.pmem.medium.CallSites;
import org.octofs.pmem.medium.CrashImages;

/**
 * Nodes that stop and come back while the client and the other nodes live on. The case runs once for each fence and each one-sided
 * write, and each choice of who stops there: the node that does it, another one, or all; with nothing, everything or some of what
 * was not durable; started again at once or after the others have gone on for a while. The client sends its calls again, and in
 * the end everything has happened exactly once.
 */
final class RestartInPlace {
    private static final int LATE_TURNS = 60;

    private enum Victims {
        ACTING,
        OTHER,
        ALL
    }

    /** Where the run is stopped. */
    private record Point(int index, int node, CrashWorld.What what) {}

    private final CrashCase crashCase;
    private final int stride;
    private final int variants;
    private List<List<String>> pictures;
    private boolean usesBlocks;
    private final Map<Integer, Long> operations = new TreeMap<>();
    private int runs;

    /**
     * One case.
     *
     * @param stride every so many points are tried
     * @param variants how often, with other contents and pauses
     */
    RestartInPlace(CrashCase crashCase, int stride, int variants) {
        this.crashCase = crashCase;
        this.stride = stride;
        this.variants = variants;
    }

    int runs() {
        return runs;
    }

    /** Executions of each operation by servers that were there in the end. */
    Map<Integer, Long> operations() {
        return operations;
    }

    void run() {
        ModelFs model = new ModelFs();
        crashCase.prepare().accept(model);
        model.startPictures();
        crashCase.run().accept(model);
        pictures = model.pictures();
        usesBlocks = model.usesBlocks();
        List<Point> points = points();
        for (int at = Math.floorMod(crashCase.name().hashCode(), stride); at < points.size(); at += stride) {
            for (Victims victims : Victims.values()) {
                for (int i = 0; i < variants && (crashCase.nodes() > 1 || victims == Victims.ALL); i++) {
                    crash(points.get(at), victims, i);
                }
            }
        }
    }

    private List<Point> points() {
        List<Point> points = new ArrayList<>();
        try (CrashWorld world = CrashWorld.format(crashCase.nodes(), usesBlocks, CallSites.noting())) {
            ClusterFs fs = new ClusterFs(world);
            crashCase.prepare().accept(fs);
            world.settle();
            int[] index = new int[1];
            world.watch((node, what) -> {
                index[0]++;
                if (what == CrashWorld.What.FENCE || what == CrashWorld.What.WRITE) {
                    points.add(new Point(index[0], node, what));
                }
            });
            crashCase.run().accept(fs);
            world.settle();
        }
        return points;
    }

    private void crash(Point point, Victims victims, int variant) {
        runs++;
        String where = crashCase + ", " + point + ", stops " + victims + ", variant " + variant;
        try (CrashWorld world = CrashWorld.format(crashCase.nodes(), usesBlocks, CallSites.noting())) {
            ClusterFs fs = new ClusterFs(world);
            crashCase.prepare().accept(fs);
            world.settle();
            Stop stop = new Stop(world, point, victims, variant);
            world.watch(stop);
            crashCase.run().accept(fs);
            world.settle();
            Picture.check(stop.done, "the point was not met again");
            Picture picture = Picture.of(world);
            if (!picture.lines().equals(pictures.getLast())) {
                throw new AssertionError("found " + picture.lines() + ", expected " + pictures.getLast());
            }
            world.watch(CrashWorld.Watcher.NONE);
            world.client().close();
            Leftovers.check(world, picture);
            world.fsck("the pools in the end");
            world.operations().forEach((code, count) -> operations.merge(code, count, Long::sum));
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(where + ": " + e, e);
        }
    }

    /** Ends whom it has to end, and has them started again. */
    private static final class Stop implements CrashWorld.Watcher {
        private final CrashWorld world;
        private final Point point;
        private final Victims victims;
        private final Random random;
        private int index;
        private boolean done;

        Stop(CrashWorld world, Point point, Victims victims, int variant) {
            this.world = world;
            this.point = point;
            this.victims = victims;
            random = new Random(point.index * 31L + victims.name().length() + 1009L * variant);
        }

        @Override
        public void before(int node, CrashWorld.What what) {
            if (done || ++index != point.index) {
                return;
            }
            done = true;
            if (victims == Victims.OTHER || node < 0) {
                world.afterTurn(this::end);
            } else {
                throw new PowerLoss();
            }
        }

        @Override
        public void lost(int node) {
            end();
        }

        private void end() {
            int nodes = world.nodeCount();
            int acting = Math.max(0, point.node);
            for (int node = 0; node < nodes; node++) {
                boolean ends = switch (victims) {
                    case ACTING -> node == acting;
                    case OTHER -> node == (acting + 1) % nodes;
                    case ALL -> true;
                };
                if (ends) {
                    CrashImages contents = world.medium(node).crashImages(1, 0);
                    world.crash(
                            node,
                            contents.image(
                                    switch (random.nextInt(3)) {
                                        case 0 -> contents.none();
                                        case 1 -> contents.all();
                                        default -> contents.random(random);
                                    }));
                }
            }
            world.startLater(random.nextBoolean() ? LATE_TURNS : 0);
        }
    }
}
