package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Two mounts: a file that stays open is current for whoever has a lock on it, as on NFS. */
@ParameterizedClass
@ValueSource(strings = {"kernel", "jnr"})
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LockedDataTest extends OnTwoMounts {
    private static final int ROUNDS = 50;
    private static final int DIGITS = 10;
    private static final Duration LIMIT = Duration.ofMinutes(1);

    /** The same file, through each mount. */
    private List<Path> file;

    @BeforeEach
    void file(TestInfo test) throws IOException {
        String name = test.getTestMethod().orElseThrow().getName();
        file = List.of(cluster.mount().resolve(name), cluster.mount2().resolve(name));
        Files.writeString(file.get(0), number(0));
    }

    private static String number(int value) {
        return String.format("%0" + DIGITS + "d", value);
    }

    private static int read(FileChannel channel) throws IOException {
        byte[] digits = FileBytes.read(channel, 0, DIGITS);
        return Integer.parseInt(new String(digits, StandardCharsets.US_ASCII));
    }

    private static void write(FileChannel channel, int value) throws IOException {
        channel.write(ByteBuffer.wrap(number(value).getBytes(StandardCharsets.US_ASCII)), 0);
    }

    private FileChannel open(int mount) throws IOException {
        return FileChannel.open(file.get(mount), StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /** Both wait for the lock, and read what the other has written by pages that they have read before. */
    @Test
    void noStepOfACounterIsLost() throws Exception {
        try (ExecutorService pool = Executors.newFixedThreadPool(2)) {
            List<Future<?>> parts = new ArrayList<>();
            for (int mount = 0; mount < 2; mount++) {
                int mine = mount;
                parts.add(pool.submit(() -> count(mine)));
            }
            for (Future<?> part : parts) {
                part.get(1, TimeUnit.MINUTES);
            }
        }
        assertThat(file.get(0)).hasContent(number(2 * ROUNDS));
        assertThat(file.get(1)).hasContent(number(2 * ROUNDS));
    }

    private Void count(int mount) throws IOException {
        try (FileChannel channel = open(mount)) {
            for (int i = 0; i < ROUNDS; i++) {
                try (FileLock lock = channel.lock()) {
                    assertThat(lock.isValid()).isTrue();
                    write(channel, read(channel) + 1);
                    if (mount == 0) {
                        channel.force(false);
                    }
                }
            }
        }
        return null;
    }

    @Test
    void noStepOfACounterUnderFlockIsLost() {
        Shell.requirePrograms("perl");
        Shell.bash(cluster.mount(), LIMIT, """
                for f in "$1" "$2"; do
                  perl -e 'use Fcntl ":flock"; open(F, "+<", $ARGV[0]) or die $!;
                    for (1..50) {
                      flock(F, LOCK_EX) or die $!; sysseek(F, 0, 0); sysread(F, $v, 10) == 10 or die;
                      sysseek(F, 0, 0); syswrite(F, sprintf("%010d", $v + 1)); flock(F, LOCK_UN) or die $! }' "$f" &
                done
                wait -n; wait -n
                """, file.get(0), file.get(1)).succeeded();
        assertThat(file.get(0)).hasContent(number(2 * ROUNDS));
        assertThat(file.get(1)).hasContent(number(2 * ROUNDS));
    }

    /** Neither the writer syncs nor the reader opens anew; with locks that are granted at once, shared ones among them. */
    @Test
    void whatWasWrittenUnderALockIsThereForTheNext() throws IOException {
        try (FileChannel writer = open(0);
                FileChannel reader = open(1)) {
            for (int i = 1; i <= ROUNDS; i++) {
                try (FileLock lock = writer.tryLock()) {
                    assertThat(lock).isNotNull();
                    write(writer, i);
                }
                try (FileLock lock = reader.tryLock(0, Long.MAX_VALUE, i % 2 == 0)) {
                    assertThat(lock).isNotNull();
                    assertThat(read(reader)).isEqualTo(i);
                }
            }
        }
    }

    @Test
    void aLockedFileGrowsAndShrinksForTheOther() throws IOException {
        try (FileChannel writer = open(0);
                FileChannel reader = open(1)) {
            for (int i = 1; i <= ROUNDS; i++) {
                long size = i % 3 * 5000L + DIGITS;
                try (FileLock lock = writer.tryLock()) {
                    assertThat(lock).isNotNull();
                    writer.truncate(size);
                    writer.write(ByteBuffer.wrap(new byte[] {(byte) i}), size - 1);
                }
                try (FileLock lock = reader.tryLock(0, Long.MAX_VALUE, true)) {
                    assertThat(lock).isNotNull();
                    assertThat(reader.size()).isEqualTo(size);
                    assertThat(FileBytes.read(reader, size - 1, 1)).containsExactly(i);
                }
            }
        }
    }

    @Test
    void aDatabaseOfBothLosesNothing() {
        Shell.requirePrograms("sqlite3");
        Path folder = cluster.mount().resolve("database");
        Shell.bash(cluster.mount(), LIMIT, """
                mkdir "$1"
                sqlite3 "$1/db" 'create table t(a integer primary key, b text);'
                for f in "$1" "$2" "$1" "$2"; do
                  (for i in $(seq 25); do echo "insert into t(b) values('$f');"; done) |
                    sqlite3 -bail -cmd '.timeout 50000' "$f/db" &
                done
                for i in 1 2 3 4; do wait -n; done
                for f in "$1" "$2"; do
                  [ "$(sqlite3 "$f/db" 'select count(*) from t; pragma integrity_check;' | tr '\\n' ' ')" = '100 ok ' ]
                done
                """, folder, cluster.mount2().resolve("database"))
                .succeeded();
    }
}
