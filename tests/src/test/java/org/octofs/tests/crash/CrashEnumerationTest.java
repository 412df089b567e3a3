package org.octofs.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.octofs.pmem.medium.CallSites;

/**
 * Goal: power loss of any number of nodes at any moment leaves the state before an operation or the one after it, and the one
 * after if it was answered; recovery may itself be cut short. Method: see {@link Enumeration}; prints what it has tried.
 */
class CrashEnumerationTest {
    private static final List<String> TRIED = new ArrayList<>();

    static List<CrashCase> cases() {
        return CrashCase.all();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void everyCrashLeavesBeforeOrAfter(CrashCase crashCase) {
        enumerate(crashCase, Enumeration.Extent.BOUNDED);
    }

    @ParameterizedTest
    @MethodSource("cases")
    @Tag("slow")
    void everyCrashLeavesBeforeOrAfterTriedAtLength(CrashCase crashCase) {
        enumerate(crashCase, Enumeration.Extent.COMPLETE);
    }

    private static void enumerate(CrashCase crashCase, Enumeration.Extent extent) {
        Enumeration enumeration = new Enumeration(crashCase, CallSites.noting(), extent);
        enumeration.run();
        assertThat(enumeration.points()).isGreaterThan(1);
        TRIED.add(String.format(
                "%-50s %6d crash points %6d of recovery %7d images, violations 0",
                crashCase, enumeration.points(), enumeration.recoveryPoints(), enumeration.images()));
    }

    @AfterAll
    @SuppressWarnings("SystemOut") // the list is what the test is for
    static void print() {
        TRIED.forEach(System.out::println);
    }
}
