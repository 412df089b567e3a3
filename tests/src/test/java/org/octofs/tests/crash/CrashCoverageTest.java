package org.octofs.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.octofs.pmem.medium.CallSites;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.server.ops.OperationHandler;

/**
 * Goal: no operation is left out of the crash cases. Method: the op codes and the handler classes are read from the program; the cases
 * are run, with a few crashes each, and every operation must have been executed by the servers while the power could fail, or in and after
 * their recovery.
 */
class CrashCoverageTest {
    private static final Enumeration.Extent GLANCE = new Enumeration.Extent(0, 1, 0, false, Integer.MAX_VALUE, 8);

    @Test
    void everyOperationOfTheProtocolIsInACase() {
        Map<Integer, Long> counts = new TreeMap<>();
        for (CrashCase crashCase : CrashCase.all()) {
            Enumeration enumeration = new Enumeration(crashCase, CallSites.noting(), GLANCE);
            enumeration.run();
            enumeration.operations().forEach((code, count) -> counts.merge(code, count, Long::sum));
        }
        // Some are needed only when one of several servers goes away and the others do not.
        for (CrashCase crashCase : CrashCase.all()) {
            if (crashCase.nodes() > 1 && !left(counts).isEmpty()) {
                RestartInPlace restarts = new RestartInPlace(crashCase, 1, 1);
                restarts.run();
                restarts.operations().forEach((code, count) -> counts.merge(code, count, Long::sum));
            }
        }
        assertThat(left(counts)).as("operations that are in no case").isEmpty();
    }

    private static Set<String> left(Map<Integer, Long> counts) {
        return opCodes().entrySet().stream()
                .filter(op -> counts.getOrDefault(op.getKey(), 0L) <= 0)
                .map(Map.Entry::getValue)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** So that an operation with a number of its own, or one that no server offers, is not overlooked. */
    @Test
    void theProtocolNamesEveryHandler() {
        try (CrashWorld world = CrashWorld.format(1, false, CallSites.noting())) {
            assertThat(world.handlers()).isEqualTo(handlerClasses());
            opCodes()
                    .forEach((code, name) -> assertThat(
                                    world.server(0).dispatcher().handlerOf(code))
                            .as("handler of %s", name)
                            .isNotNull());
        }
    }

    /** The op codes by number. */
    private static Map<Integer, String> opCodes() {
        Map<Integer, String> codes = new TreeMap<>();
        try {
            for (Field field : OpCode.class.getFields()) {
                codes.put(field.getInt(null), field.getName());
            }
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
        assertThat(codes).hasSizeGreaterThan(30);
        return codes;
    }

    private static Set<String> handlerClasses() {
        Set<String> classes = new TreeSet<>();
        for (JavaClass type : new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .withImportOption(location -> !location.contains("-tests.jar"))
                .importPackages("org.octofs.server")) {
            if (type.isAssignableTo(OperationHandler.class)
                    && !type.isInterface()
                    && !type.getModifiers().contains(JavaModifier.ABSTRACT)) {
                classes.add(type.getName());
            }
        }
        return classes;
    }
}
