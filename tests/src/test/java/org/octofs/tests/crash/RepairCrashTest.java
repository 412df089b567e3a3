package org.octofs.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.octofs.pmem.medium.CallSites;

/** Goal: a repair that is cut short anywhere is simply run again. Method: see {@link RepairCrash}; prints what it has tried. */
class RepairCrashTest {
    private static final List<String> TRIED = new ArrayList<>();

    @ParameterizedTest
    @EnumSource(RepairDamage.class)
    void anInterruptedRepairIsRunAgain(RepairDamage damage) {
        run(damage, 1, 1);
    }

    @ParameterizedTest
    @EnumSource(RepairDamage.class)
    @Tag("slow")
    void anInterruptedRepairIsRunAgainTriedAtLength(RepairDamage damage) {
        run(damage, 40, 20);
    }

    private static void run(RepairDamage damage, int lines, int samples) {
        RepairCrash crash = new RepairCrash(damage, CallSites.noting(), lines, samples);
        crash.run();
        assertThat(crash.points()).isGreaterThan(2);
        TRIED.add(String.format(
                "fsck --repair, %-30s %6d crash points %7d images, violations 0",
                damage, crash.points(), crash.images()));
    }

    @AfterAll
    @SuppressWarnings("SystemOut") // the list is what the test is for
    static void print() {
        TRIED.forEach(System.out::println);
    }
}
