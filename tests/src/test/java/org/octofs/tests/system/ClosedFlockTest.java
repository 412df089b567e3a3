package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** A flock ends with the close of its file for whoever has seen the close return, on either mount. */
@ParameterizedClass
@ValueSource(strings = {"kernel", "jnr"})
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClosedFlockTest extends OnTwoMounts {
    private static final Duration LIMIT = Duration.ofMinutes(1);

    /** The same file, through each mount. */
    private List<Path> file;

    @BeforeEach
    void file(TestInfo test) throws IOException {
        Shell.requirePrograms("perl");
        String name = test.getTestMethod().orElseThrow().getName();
        file = List.of(cluster.mount().resolve(name), cluster.mount2().resolve(name));
        Files.createFile(file.get(0));
    }

    private String perl(String program, Path holder, Path asker) {
        return Shell.bash(cluster.mount(), LIMIT, "perl -we \"$1\" \"$2\" \"$3\"", """
                use Fcntl qw(:flock); use Time::HiRes qw(time);
                open(ASKER, '+<', $ARGV[1]) or die $!;
                """ + program, holder, asker)
                .succeeded()
                .line();
    }

    /** The lock is asked for at once, without waiting, and so often that it meets the notice of the close under way. */
    private String refusalsAfterClose(Path holder, Path asker) {
        return perl("""
                my $refused = 0;
                for (1..500) {
                  open(HOLDER, '+<', $ARGV[0]) or die $!;
                  flock(HOLDER, LOCK_EX) or die $!;
                  close(HOLDER) or die $!;
                  flock(ASKER, LOCK_EX | LOCK_NB) or $refused++;
                  flock(ASKER, LOCK_UN) or die $!;
                }
                print $refused;
                """, holder, asker);
    }

    @Test
    void aClosedFileHoldsNoLockForTheOtherMount() {
        assertThat(refusalsAfterClose(file.get(0), file.get(1))).isEqualTo("0");
        assertThat(refusalsAfterClose(file.get(1), file.get(0))).isEqualTo("0");
    }

    @Test
    void aClosedFileHoldsNoLockForItsMount() {
        assertThat(refusalsAfterClose(file.get(0), file.get(0))).isEqualTo("0");
    }

    /** As a program sees it that is refused: soon, and with the error of a lock that is held. */
    private String answersWhileHeld(Path holder, Path asker) {
        return perl("""
                open(HOLDER, '+<', $ARGV[0]) or die $!;
                flock(HOLDER, LOCK_SH) or die $!;
                my $longest = 0;
                for (1..20) {
                  my $begin = time;
                  flock(ASKER, LOCK_EX | LOCK_NB) and die 'granted';
                  $!{EAGAIN} or die $!;
                  $longest = time - $begin if time - $begin > $longest;
                  flock(ASKER, LOCK_SH | LOCK_NB) or die $!;
                }
                print $longest < 1 ? 'soon' : $longest;
                """, holder, asker);
    }

    @Test
    void aHeldLockIsRefusedSoon() {
        assertThat(answersWhileHeld(file.get(0), file.get(1))).isEqualTo("soon");
        assertThat(answersWhileHeld(file.get(0), file.get(0))).isEqualTo("soon");
    }
}
