package org.octofs.tests.system;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whether a mount judges by the owner and the mode that another mount has set, once that call has returned, in calls that Linux judges by
 * what it knows from when it looked the name up: chmod, utimensat, and removal from sticky directories.
 */
@ParameterizedClass
@ValueSource(strings = {"kernel", "jnr"})
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OwnerSeenAtOnceTest extends OnTwoMounts {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** {@code $1} and {@code $2}: the same folder through each mount. */
    private static final String BEGIN = """
            set -eu
            as() { setpriv --reuid="$1" --regid="$1" --clear-groups "${@:2}" 2>/dev/null; }
            # chmod(1) would look at the file first.
            mode() { as "$1" perl -e 'chmod(0600, $ARGV[0]) or exit 1' "$2"; }
            look() { stat "$1" "$1" "$1" >/dev/null; }
            fail() { echo "round $i: $1"; exit 1; }
            old=1001; new=1002
            turn() { local o=$old; old=$new; new=$o; }
            """;

    private static void run(String script) throws IOException {
        Shell.requirePrograms("setpriv", "perl");
        Shell.bash(Path.of("/"), PATIENCE, BEGIN + script, cluster.mount(), cluster.mount2())
                .succeeded();
    }

    @Test
    void theOwnerOfAFile() throws IOException {
        run("""
                touch "$1/f"; chown $old "$1/f"
                for ((i = 0; i < 15; i++)); do
                  look "$2/f"
                  chown $new "$1/f"
                  ! mode $old "$2/f" || fail "who owned it before may change it"
                  look "$2/f"
                  chown $old "$1/f"; look "$2/f"; chown $new "$1/f"
                  mode $new "$2/f" || fail "who owns it may not change it"
                  turn
                done
                """);
    }

    @Test
    void theOwnerOfAFileThatThisMountHasMoved() throws IOException {
        run("""
                mkdir "$1/from" "$1/to"
                for ((i = 0; i < 8; i++)); do
                  touch "$1/from/f$i"; chown $old "$1/from/f$i"
                  look "$2/from/f$i"; look "$2/to"
                  mv "$2/from/f$i" "$2/to/g$i"
                  chown $new "$1/to/g$i"
                  ! mode $old "$2/to/g$i" || fail "who owned it before may change it"
                  mode $new "$2/to/g$i" || fail "who owns it may not change it"
                done
                """);
    }

    @Test
    void theOwnerOfAFileWithTwoNames() throws IOException {
        run("""
                touch "$1/a"; ln "$1/a" "$1/b"; chown $old "$1/a"
                for ((i = 0; i < 8; i++)); do
                  look "$2/a"; look "$2/b"; look "$2/a"; look "$2/b"
                  chown $new "$1/a"
                  ! mode $old "$2/a" || fail "who owned it before may change it by its first name"
                  ! mode $old "$2/b" || fail "who owned it before may change it by its second name"
                  turn
                done
                """);
    }

    @Test
    void theModeOfADirectory() throws IOException {
        run("""
                mkdir "$1/d"; chmod 777 "$1/d"
                for ((i = 0; i < 15; i++)); do
                  touch "$1/d/f"; chmod 777 "$1/d"
                  look "$2/d"; look "$2/d/f"
                  chmod 1777 "$1/d"
                  ! as $old perl -e 'unlink($ARGV[0]) or exit 1' "$2/d/f" || fail "somebody may remove another one's file from a sticky directory"
                  look "$2/d"
                  chmod 777 "$1/d"
                  as $old perl -e 'unlink($ARGV[0]) or exit 1' "$2/d/f" || fail "nobody else may remove a file although all may write"
                done
                """);
    }
}
