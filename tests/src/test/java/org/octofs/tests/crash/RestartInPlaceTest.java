package org.octofs.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: a call whose server, or another server that takes part, stops and comes back is done exactly once, and nothing is left of
 * the interruption. Method: see {@link RestartInPlace}.
 */
class RestartInPlaceTest {
    private static final int STRIDE = 3;

    static List<CrashCase> cases() {
        return CrashCase.all();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void everyCallIsDoneOnce(CrashCase crashCase) {
        run(new RestartInPlace(crashCase, crashCase.nodes() == 1 ? 1 : STRIDE, 1));
    }

    @ParameterizedTest
    @MethodSource("cases")
    @Tag("slow")
    void everyCallIsDoneOnceTriedAtLength(CrashCase crashCase) {
        run(new RestartInPlace(crashCase, 1, 10));
    }

    private static void run(RestartInPlace restarts) {
        restarts.run();
        assertThat(restarts.runs()).isPositive();
    }
}
