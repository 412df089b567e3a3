package org.octofs.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.Executable;
import org.octofs.pmem.medium.CallSites;
import org.octofs.pmem.medium.PmemMedium;

/**
 * Goal: no flush and no fence of the program is there in vain, and none could be lost unnoticed. Method: the places that flush,
 * fence or copy past the cache are found in the class files and met by the cases; each is left out in turn, and the enumeration
 * has to turn red.
 */
class FlushMutationTest {
    private static final Enumeration.Extent GLANCE =
            new Enumeration.Extent(0, 1, 1, false, Integer.MAX_VALUE, Integer.MAX_VALUE);
    private static final Map<String, String> MEANT = Map.of(
            "flush", "flush",
            "fence", "fence",
            "copyNonTemporal", "non-temporal copy");
    private static final Map<String, List<CrashCase>> CASES = new TreeMap<>();
    private static final Set<String> FORMATTER = new TreeSet<>();
    private static final Map<String, List<RepairDamage>> REPAIRS = new TreeMap<>();

    @BeforeAll
    static void meetTheSites() {
        for (CrashCase crashCase : CrashCase.all()) {
            CallSites sites = CallSites.noting();
            new Enumeration(crashCase, sites, GLANCE).run();
            for (String site : sites.seen()) {
                CASES.computeIfAbsent(site, _ -> new ArrayList<>()).add(crashCase);
            }
        }
        CallSites sites = CallSites.noting();
        new FormatCrash(sites, 1).run();
        FORMATTER.addAll(sites.seen());
        FORMATTER.removeAll(CASES.keySet());
        for (RepairDamage damage : RepairDamage.values()) {
            CallSites met = CallSites.noting();
            new RepairCrash(damage, met, 0, 0).run();
            for (String site : met.seen()) {
                REPAIRS.computeIfAbsent(site, _ -> new ArrayList<>()).add(damage);
            }
        }
        REPAIRS.keySet().removeAll(CASES.keySet());
        REPAIRS.keySet().removeAll(FORMATTER);
    }

    @Test
    void everySiteOfTheProgramIsMet() {
        Set<String> found = new TreeSet<>();
        for (JavaClass type : new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .withImportOption(location -> !location.contains("-tests.jar"))
                .importPackages("org.octofs")) {
            for (JavaMethodCall call : type.getMethodCallsFromSelf()) {
                String what = MEANT.get(call.getTarget().getName());
                if (what != null
                        && call.getTargetOwner().isAssignableTo(PmemMedium.class)
                        && !type.isAssignableTo(PmemMedium.class)) {
                    found.add(type.getName() + "." + call.getOrigin().getName() + ":" + call.getLineNumber() + " "
                            + what);
                }
            }
        }
        Set<String> met = new TreeSet<>(CASES.keySet());
        met.addAll(FORMATTER);
        met.addAll(REPAIRS.keySet());
        assertThat(met).hasSizeGreaterThan(15).isEqualTo(found);
    }

    @TestFactory
    Stream<DynamicTest> withoutOneOfThemTheEnumerationTurnsRed() {
        List<DynamicTest> tests = new ArrayList<>();
        CASES.forEach((site, cases) -> tests.add(without(site, () -> assertKilled(site, cases))));
        FORMATTER.forEach(site -> tests.add(without(site, () -> assertKilledByFormat(site))));
        REPAIRS.forEach((site, damages) -> tests.add(without(site, () -> assertKilledByRepair(site, damages))));
        return tests.stream();
    }

    private static DynamicTest without(String site, Executable test) {
        return DynamicTest.dynamicTest("without " + site, test);
    }

    private static void assertKilled(String site, List<CrashCase> cases) {
        int images = 0;
        for (CrashCase crashCase : cases) {
            Enumeration enumeration = new Enumeration(crashCase, CallSites.without(site), Enumeration.Extent.BOUNDED);
            if (isRed(enumeration::run)) {
                return;
            }
            images += enumeration.images();
        }
        assertThat(images)
                .as("images of %d cases, none of which misses %s: is it needed?", cases.size(), site)
                .isZero();
    }

    private static void assertKilledByFormat(String site) {
        assertThat(isRed(new FormatCrash(CallSites.without(site), 30)::run))
                .as("formatting misses %s", site)
                .isTrue();
    }

    private static void assertKilledByRepair(String site, List<RepairDamage> damages) {
        assertThat(damages)
                .as("repairs that miss %s", site)
                .anyMatch(damage -> isRed(new RepairCrash(damage, CallSites.without(site), 2, 5)::run));
    }

    private static boolean isRed(Runnable run) {
        try {
            run.run();
            return false;
        } catch (AssertionError expected) {
            return true;
        }
    }
}
