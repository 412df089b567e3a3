package org.octofs.rpc.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Numbers are Linux's, each once, and come back from the wire. */
class ErrnoTest {
    @Test
    void numbersAreThoseOfLinux() {
        assertThat(Errno.ENOENT.value).isEqualTo(2);
        assertThat(Errno.ENOTEMPTY.value).isEqualTo(39);
        assertThat(Errno.ENOSPC.value).isEqualTo(28);
        assertThat(Errno.ENODATA.value).isEqualTo(61);
        assertThat(Errno.EPROTO.value).isEqualTo(71);
        assertThat(Errno.EOPNOTSUPP.value).isEqualTo(95);
        assertThat(Errno.ESTALE.value).isEqualTo(116);
        assertThat(Errno.EDQUOT.value).isEqualTo(122);
    }

    @Test
    void everyNumberOccursOnceAndComesBack() {
        assertThat(Arrays.stream(Errno.values()).map(e -> e.value)).doesNotHaveDuplicates();
        for (Errno errno : Errno.values()) {
            assertThat(Errno.of(errno.value)).isEqualTo(errno);
            assertThat(errno.isRetryable())
                    .as("%s: only our own can be retryable", errno)
                    .isIn(false, !errno.isForApplications());
        }
        assertThat(Errno.of(4095)).isEqualTo(Errno.EIO);
        assertThat(Errno.of(-1)).isEqualTo(Errno.EIO);
        assertThat(Errno.of(Integer.MAX_VALUE)).isEqualTo(Errno.EIO);
    }
}
