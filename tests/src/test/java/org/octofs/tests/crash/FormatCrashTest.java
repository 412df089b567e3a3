package org.octofs.tests.crash;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.octofs.pmem.medium.CallSites;

/** Goal and method: see {@link FormatCrash}. */
class FormatCrashTest {
    private static final int SAMPLES = 20;

    @Test
    void aPoolIsThereWhollyOrNotAtAll() {
        FormatCrash format = new FormatCrash(CallSites.noting(), SAMPLES);
        format.run();
        assertThat(format.images()).isGreaterThan(SAMPLES);
    }
}
