package org.octofs.tests.crash;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.octofs.pmem.medium.CallSites;
import org.octofs.pmem.medium.CrashImages;

/**
 * Power loss of all nodes at once, at every point of a case.
 *
 * <p>The case runs once. Before each fence of any node (between two fences what a crash may leave only grows), and at the end, the
 * run is held: for every node the possible contents of its pool are taken, servers are started on copies of some combinations, and
 * what they show has to be a state of the model: that before the call under way or that after it, and not before what has been
 * answered. Then the run goes on. Recovery is crashed in the same way, at each of its own fences.
 *
 * <p>Of each content there is all or nothing of what no fence has made durable, each cache line alone, each line missing, one node
 * wholly behind the others, and a seeded sample in which each line has a prefix of its stores, or any subset of those without order.
 */
final class Enumeration {
    /**
     * How much is tried.
     *
     * @param lines most lines of a node that are alone or missing
     * @param samples random contents at each point
     * @param recoveryContents contents of a point whose recovery is crashed too
     * @param everyEvent stops at stores and flushes as well, with samples only
     * @param checked every so many contents the pools are checked as {@code octofs fsck} does, before and after recovery
     * @param settled every so many contents it is also looked at what is left when the client's lease is over
     */
    record Extent(int lines, int samples, int recoveryContents, boolean everyEvent, int checked, int settled) {
        static final Extent BOUNDED = new Extent(5, 2, 1, false, 3, 8);
        static final Extent COMPLETE = new Extent(200, 40, 12, true, 1, 4);
    }

    private final CrashCase crashCase;
    private final CallSites sites;
    private final Extent extent;
    private final Random random = new Random(7);
    private List<List<String>> pictures;
    private CrashWorld world;
    private int changesBefore;
    private boolean exploring;
    private final Map<Integer, Long> operations = new TreeMap<>();
    private int points;
    private int images;
    private int recoveryPoints;

    Enumeration(CrashCase crashCase, CallSites sites, Extent extent) {
        this.crashCase = crashCase;
        this.sites = sites;
        this.extent = extent;
    }

    int points() {
        return points;
    }

    int images() {
        return images;
    }

    int recoveryPoints() {
        return recoveryPoints;
    }

    /** How often each operation was executed, but for the preparation: while the power could fail, and in and after recovery. */
    Map<Integer, Long> operations() {
        return operations;
    }

    /** Runs the case; throws an AssertionError at the first violation. */
    void run() {
        ModelFs model = new ModelFs();
        crashCase.prepare().accept(model);
        model.startPictures();
        crashCase.run().accept(model);
        pictures = model.pictures();
        try (CrashWorld main = CrashWorld.format(crashCase.nodes(), model.usesBlocks(), sites)) {
            world = main;
            ClusterFs fs = new ClusterFs(main);
            crashCase.prepare().accept(fs);
            main.settle();
            same(pictures.getFirst(), Picture.of(main).lines(), "prepared");
            main.operations().forEach((code, count) -> operations.merge(code, -count, Long::sum));
            changesBefore = main.client().changesAnswered();
            main.watch((_, what) -> {
                if (what == CrashWorld.What.FENCE) {
                    explore(false);
                } else if (extent.everyEvent()) {
                    explore(true);
                }
            });
            crashCase.run().accept(fs);
            explore(false);
            main.settle();
            explore(false);
            same(pictures.getLast(), Picture.of(main).lines(), "at the end");
            main.operations().forEach((code, count) -> operations.merge(code, count, Long::sum));
        } catch (RuntimeException e) {
            throw new AssertionError(crashCase + ": " + e, e);
        }
    }

    private void same(List<String> expected, List<String> found, String when) {
        if (!found.equals(expected)) {
            throw new AssertionError(crashCase + ", " + when + ": expected " + expected + ", found " + found);
        }
    }

    private void explore(boolean samplesOnly) {
        if (exploring) {
            return;
        }
        exploring = true;
        try {
            points++;
            world.client().poll();
            int answered = world.client().changesAnswered() - changesBefore;
            List<List<String>> allowed = pictures.subList(answered, Math.min(answered + 2, pictures.size()));
            CrashImages[] contents = new CrashImages[world.nodeCount()];
            for (int node = 0; node < contents.length; node++) {
                contents[node] = world.medium(node).crashImages(1, 0);
            }
            int done = 0;
            for (CrashImages.Choice[] choice : choices(contents, samplesOnly)) {
                boolean deep = done < extent.recoveryContents() && !samplesOnly;
                check(images(contents, choice), allowed, deep, where(answered, done));
                done++;
            }
        } finally {
            exploring = false;
        }
    }

    private String where(int answered, int content) {
        return crashCase + ", point " + points + ", content " + content + ", " + answered + " answered";
    }

    private List<CrashImages.Choice[]> choices(CrashImages[] contents, boolean samplesOnly) {
        List<CrashImages.Choice[]> choices = new ArrayList<>();
        int nodes = contents.length;
        for (int i = 0; i < extent.samples(); i++) {
            CrashImages.Choice[] sample = new CrashImages.Choice[nodes];
            for (int node = 0; node < nodes; node++) {
                sample[node] = contents[node].random(random);
            }
            choices.add(sample);
        }
        if (samplesOnly) {
            return choices.subList(0, 1);
        }
        choices.add(all(contents, false));
        choices.add(all(contents, true));
        for (int node = 0; node < nodes; node++) {
            if (nodes > 1) {
                choices.add(with(all(contents, true), node, contents[node].none()));
                choices.add(with(all(contents, false), node, contents[node].all()));
            }
            for (int line : some(contents[node].lineCount())) {
                choices.add(with(all(contents, false), node, contents[node].onlyLine(line)));
                choices.add(with(all(contents, true), node, contents[node].withoutLine(line)));
            }
        }
        return choices;
    }

    /** All lines, or as many as are tried, drawn at random. */
    private int[] some(int lineCount) {
        if (lineCount <= extent.lines()) {
            return java.util.stream.IntStream.range(0, lineCount).toArray();
        }
        return random.ints(0, lineCount).distinct().limit(extent.lines()).toArray();
    }

    private static CrashImages.Choice[] all(CrashImages[] contents, boolean there) {
        CrashImages.Choice[] choice = new CrashImages.Choice[contents.length];
        for (int node = 0; node < choice.length; node++) {
            choice[node] = there ? contents[node].all() : contents[node].none();
        }
        return choice;
    }

    private static CrashImages.Choice[] with(CrashImages.Choice[] choice, int node, CrashImages.Choice its) {
        choice[node] = its;
        return choice;
    }

    private static MemorySegment[] images(CrashImages[] contents, CrashImages.Choice[] choice) {
        MemorySegment[] images = new MemorySegment[contents.length];
        for (int node = 0; node < images.length; node++) {
            images[node] = contents[node].image(choice[node]);
        }
        return images;
    }

    /** Starts servers on the images and looks; if wanted, their start is crashed at each of its fences, too. */
    private void check(MemorySegment[] contents, List<List<String>> allowed, boolean crashRecovery, String where) {
        images++;
        try (CrashWorld recovered = CrashWorld.over(contents, world.clock, sites, crashRecovery)) {
            if (images % extent.checked() == 0) {
                recovered.fsck("the pools as the crash left them");
            }
            if (crashRecovery) {
                recovered.watch(new RecoveryCrash(recovered, allowed, where));
            }
            recovered.startAll();
            recovered.settle();
            recovered.watch(CrashWorld.Watcher.NONE);
            Picture picture = Picture.of(recovered);
            if (!allowed.contains(picture.lines())) {
                throw new AssertionError("found " + picture.lines() + ", allowed " + allowed);
            }
            if (images % extent.checked() == 0) {
                recovered.fsck("the pools after recovery");
            }
            if (images % extent.settled() == 0) {
                Leftovers.check(recovered, picture);
                recovered.fsck("the pools when the lease was over");
            }
            recovered.operations().forEach((code, count) -> operations.merge(code, count, Long::sum));
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(where + ": " + e, e);
        }
    }

    /** Ends recovery at each of its fences, with nothing, everything and something of what it has stored. */
    private final class RecoveryCrash implements CrashWorld.Watcher {
        private final CrashWorld recovering;
        private final List<List<String>> allowed;
        private final String where;
        private int fences;

        RecoveryCrash(CrashWorld recovering, List<List<String>> allowed, String where) {
            this.recovering = recovering;
            this.allowed = allowed;
            this.where = where;
        }

        @Override
        public void before(int node, CrashWorld.What what) {
            if (what != CrashWorld.What.FENCE) {
                return;
            }
            recoveryPoints++;
            fences++;
            CrashImages[] contents = new CrashImages[recovering.nodeCount()];
            for (int i = 0; i < contents.length; i++) {
                contents[i] = recovering.medium(i).crashImages(1, 0);
            }
            CrashImages.Choice[] sample = new CrashImages.Choice[contents.length];
            for (int i = 0; i < contents.length; i++) {
                sample[i] = contents[i].random(random);
            }
            String at = where + ", recovery's fence " + fences;
            check(images(contents, all(contents, false)), allowed, false, at + ", nothing kept");
            check(images(contents, all(contents, true)), allowed, false, at + ", all kept");
            check(images(contents, sample), allowed, false, at + ", some kept");
        }
    }
}
