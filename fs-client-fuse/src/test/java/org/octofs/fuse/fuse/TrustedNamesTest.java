package org.octofs.fuse.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Which names go, and what counts as the capability; who has it is for tests on mounts. */
class TrustedNamesTest {
    private static String without(String names) {
        return new String(TrustedNames.without(names.getBytes(StandardCharsets.US_ASCII)), StandardCharsets.US_ASCII);
    }

    @Test
    void onlyTrustedNamesGo() {
        assertThat(without("trusted.a\0user.b\0trusted.c\0security.d\0")).isEqualTo("user.b\0security.d\0");
        assertThat(without("user.trusted.a\0trusted\0")).isEqualTo("user.trusted.a\0trusted\0");
        assertThat(without("trusted.a\0")).isEmpty();
        assertThat(without("")).isEmpty();
    }

    @Test
    void theCapabilityIsOneBitOfTheMask() {
        assertThat(TrustedNames.hasAdministration("000001ffffffffff")).isTrue();
        assertThat(TrustedNames.hasAdministration("0000000000200000")).isTrue();
        assertThat(TrustedNames.hasAdministration("000001ffffdfffff")).isFalse();
        assertThat(TrustedNames.hasAdministration("0000000000000000")).isFalse();
    }

    @Test
    void whoCannotBeSeenIsTakenByTheNumber() {
        RequestContext caller = new RequestContext() {
            @Override
            public boolean interrupted() {
                return false;
            }
        };
        byte[] names = "trusted.a\0".getBytes(StandardCharsets.US_ASCII);
        assertThat(TrustedNames.shown(names, caller)).isEqualTo(names);
        caller.uid = 1;
        assertThat(TrustedNames.shown(names, caller)).isEmpty();
    }
}
