package org.octofs.fuse.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallerSystemCallTest {
    @ParameterizedTest
    @CsvSource({
        "260 0xffffff9c 0x5581, amd64, true",
        "92 0x7ffd 0xffff, amd64, true",
        "1 0x3 0x7ffd, amd64, false",
        "54 0xffff 0x1, aarch64, true",
        "92 0x7ffd 0xffff, aarch64, false",
        "92 0x7ffd 0xffff, riscv64, false",
        "running, amd64, false",
        "-1 0x7ffd 0x7f, amd64, false"
    })
    void chownIsToldByTheNumbersOfTheArchitecture(String line, String architecture, boolean isChown) {
        assertThat(CallerSystemCall.isChown(line, architecture)).isEqualTo(isChown);
    }

    @Test
    void whoCannotBeLookedAtCallsNothing() {
        assertThat(CallerSystemCall.isChown(0)).isFalse();
        assertThat(CallerSystemCall.isChown(Integer.MAX_VALUE)).isFalse();
    }
}
