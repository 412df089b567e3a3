package org.octofs.tests.crash;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.octofs.pmem.medium.CallSites;
import org.octofs.pmem.medium.CrashImages;
import org.octofs.pmem.medium.RecordingMedium;
import org.octofs.server.check.CheckOptions;
import org.octofs.server.check.CheckReport;
import org.octofs.server.check.ClusterCheck;
import org.octofs.tests.fsck.Surgeon;

/**
 * Power loss during {@code octofs fsck --repair}. The pools of two small servers are damaged and repaired; the repair is held before each
 * of its fences, and on what the pools may then hold it is run again: that has to mend everything, and to leave the same files as
 * a repair that nobody has interrupted.
 */
final class RepairCrash {
    private static final CheckOptions DATA = CheckOptions.defaults().withData();

    private final RepairDamage damage;
    private final CallSites sites;
    private final int lines;
    private final int samples;
    private final Random random = new Random(11);
    private StepClock clock;
    private List<String> expected;
    private RecordingMedium[] media;
    private int points;
    private int images;

    /**
     * One kind of damage.
     *
     * @param lines most cache lines of a node that are kept alone or lost alone
     * @param samples random contents at each point
     */
    RepairCrash(RepairDamage damage, CallSites sites, int lines, int samples) {
        this.damage = damage;
        this.sites = sites;
        this.lines = lines;
        this.samples = samples;
    }

    int points() {
        return points;
    }

    int images() {
        return images;
    }

    void run() {
        MemorySegment[] damaged = damaged();
        CheckReport found = ClusterCheck.run(media(damaged), DATA);
        Picture.check(!found.isClean(), damage + ": the damage is none");
        MemorySegment[] whole = copies(damaged);
        CheckReport repaired = ClusterCheck.repair(media(whole), DATA);
        Picture.check(repaired.exitCode() == CheckReport.EXIT_CORRECTED, damage + ": " + repaired);
        expected = picture(whole, "after an undisturbed repair");

        media = new RecordingMedium[damaged.length];
        for (int node = 0; node < media.length; node++) {
            media[node] = RecordingMedium.over(damaged[node]).callSites(sites).startRecording();
            media[node].observe(event -> {
                if (event == RecordingMedium.Event.FENCE) {
                    explore();
                }
            });
        }
        ClusterCheck.repair(List.of(media), DATA);
        explore();
    }

    private MemorySegment[] damaged() {
        try (CrashWorld world = CrashWorld.format(RepairDamage.NODES, true, CallSites.noting())) {
            ClusterFs fs = new ClusterFs(world);
            RepairDamage.fill(fs);
            fs.goodbye();
            world.settle();
            clock = world.clock;
            RepairDamage.Place[] places = RepairDamage.places(fs, world);
            MemorySegment[] contents = new MemorySegment[world.nodeCount()];
            Surgeon[] surgeons = new Surgeon[contents.length];
            for (int node = 0; node < contents.length; node++) {
                contents[node] = copy(world.medium(node).memory());
                surgeons[node] = new Surgeon(RecordingMedium.over(contents[node]));
            }
            damage.to(surgeons, places);
            for (Surgeon surgeon : surgeons) {
                surgeon.close();
            }
            return contents;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static MemorySegment copy(MemorySegment image) {
        return Arena.ofAuto().allocate(image.byteSize(), 4096).copyFrom(image);
    }

    private static MemorySegment[] copies(MemorySegment[] images) {
        MemorySegment[] copies = new MemorySegment[images.length];
        for (int i = 0; i < copies.length; i++) {
            copies[i] = copy(images[i]);
        }
        return copies;
    }

    private static List<RecordingMedium> media(MemorySegment[] images) {
        List<RecordingMedium> media = new ArrayList<>();
        for (MemorySegment image : images) {
            media.add(RecordingMedium.over(image));
        }
        return media;
    }

    private List<String> picture(MemorySegment[] contents, String when) {
        try (CrashWorld world = CrashWorld.over(copies(contents), clock, CallSites.noting(), false)) {
            world.fsck("the pools " + when);
            world.startAll();
            world.settle();
            return Picture.of(world).lines();
        }
    }

    private void explore() {
        points++;
        CrashImages[] contents = new CrashImages[media.length];
        for (int node = 0; node < contents.length; node++) {
            contents[node] = media[node].crashImages(1, 0);
        }
        check(contents, all(contents, false), "nothing kept");
        check(contents, all(contents, true), "all kept");
        for (int i = 0; i < samples; i++) {
            CrashImages.Choice[] choice = new CrashImages.Choice[contents.length];
            for (int node = 0; node < choice.length; node++) {
                choice[node] = contents[node].random(random);
            }
            check(contents, choice, "some kept");
        }
        for (int node = 0; node < contents.length; node++) {
            int count = contents[node].lineCount();
            for (int line : random.ints(0, Math.max(1, count))
                    .distinct()
                    .limit(Math.min(lines, count))
                    .toArray()) {
                CrashImages.Choice[] choice = all(contents, false);
                choice[node] = contents[node].onlyLine(line);
                check(contents, choice, "line " + line + " kept");
                choice = all(contents, true);
                choice[node] = contents[node].withoutLine(line);
                check(contents, choice, "line " + line + " lost");
            }
        }
    }

    private static CrashImages.Choice[] all(CrashImages[] contents, boolean there) {
        CrashImages.Choice[] choice = new CrashImages.Choice[contents.length];
        for (int node = 0; node < choice.length; node++) {
            choice[node] = there ? contents[node].all() : contents[node].none();
        }
        return choice;
    }

    private void check(CrashImages[] contents, CrashImages.Choice[] choice, String what) {
        images++;
        String where = damage + ", point " + points + ", " + what;
        MemorySegment[] left = new MemorySegment[contents.length];
        for (int node = 0; node < left.length; node++) {
            left[node] = copy(contents[node].image(choice[node]));
        }
        try {
            CheckReport report = ClusterCheck.repair(media(left), DATA);
            Picture.check(report.leftCount() == 0, "the second repair: " + report);
            List<String> found = picture(left, "after the second repair");
            Picture.check(found.equals(expected), "found " + found + ", expected " + expected);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(where + ": " + e, e);
        }
    }
}
