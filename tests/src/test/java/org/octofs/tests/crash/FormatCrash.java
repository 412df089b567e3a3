package org.octofs.tests.crash;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.octofs.pmem.PoolMismatchException;
import org.octofs.pmem.medium.CallSites;
import org.octofs.pmem.medium.CrashImages;
import org.octofs.pmem.medium.Progress;
import org.octofs.pmem.medium.RecordingMedium;
import org.octofs.pmem.pool.PmemPool;
import org.octofs.pmem.pool.PoolExpectation;
import org.octofs.pmem.pool.PoolFormatter;
import org.octofs.pmem.pool.PoolIdentity;

/**
 * Power loss while a pool is formatted over an older one: what is left is the older one as it was, no pool at all, or the
 * new one, empty and whole; and the new one once the format has returned.
 */
final class FormatCrash {
    private final CallSites sites;
    private final int samples;
    private final Random random = new Random(3);
    private List<String> older;
    private StepClock clock;
    private RecordingMedium medium;
    private boolean done;
    private int images;

    FormatCrash(CallSites sites, int samples) {
        this.sites = sites;
        this.samples = samples;
    }

    int images() {
        return images;
    }

    void run() {
        try (CrashWorld world = CrashWorld.format(1, false, CallSites.noting())) {
            clock = world.clock;
            ClusterFs fs = new ClusterFs(world);
            fs.mkdir("/old");
            for (int i = 0; i < 40; i++) {
                fs.create("/old/" + i);
            }
            fs.setXattr("/old/3", "user.k", 6000);
            world.settle();
            older = Picture.of(world).lines();
            medium = RecordingMedium.of(world.medium(0).memory()).callSites(sites);
            medium.startRecording().observe(event -> {
                if (event == RecordingMedium.Event.FENCE) {
                    explore();
                }
            });
            PoolFormatter.format(
                    medium,
                    new PoolIdentity(world.map.id(), 0, 1, CrashWorld.SHARDS),
                    CrashWorld.smallGeometry(),
                    2,
                    Progress.NONE);
            done = true;
            explore();
        }
    }

    private void explore() {
        CrashImages contents = medium.crashImages(1, 0);
        List<CrashImages.Choice> choices = new ArrayList<>(List.of(contents.none(), contents.all()));
        for (int i = 0; i < samples; i++) {
            choices.add(contents.random(random));
            if (contents.lineCount() > 0) {
                choices.add(contents.onlyLine(random.nextInt(contents.lineCount())));
                choices.add(contents.withoutLine(random.nextInt(contents.lineCount())));
            }
        }
        for (CrashImages.Choice choice : choices) {
            images++;
            check(contents.image(choice));
        }
    }

    private void check(MemorySegment image) {
        try {
            PmemPool.open(RecordingMedium.of(image), PoolExpectation.ANY).abandon();
        } catch (PoolMismatchException e) {
            Picture.check(!done, "formatted, and yet: " + e.getMessage());
            return;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        try (CrashWorld world = CrashWorld.over(new MemorySegment[] {image}, clock, CallSites.noting(), false)) {
            world.startAll();
            world.settle();
            Picture picture = Picture.of(world);
            boolean untouched = !done && picture.lines().equals(older);
            Picture.check(untouched || picture.lines().size() == 1, "found " + picture.lines());
            Leftovers.check(world, picture);
        } catch (RuntimeException e) {
            throw new AssertionError("a pool half formatted is served: " + e, e);
        }
    }
}
