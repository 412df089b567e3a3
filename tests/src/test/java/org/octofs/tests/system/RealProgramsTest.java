package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** What people do with a file system, done on a mount of two nodes. Each test works in a folder of its own, by each binding. */
@ParameterizedClass
@ValueSource(strings = {"kernel", "jnr"})
@Timeout(value = 4, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RealProgramsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int SETTLED_SECONDS = 3;

    private static SystemCluster cluster;

    @Parameter
    String binding;

    @BeforeParameterizedClassInvocation
    static void up(String binding) {
        cluster = SystemCluster.up(2, "512M", "auto", "binding=" + binding);
    }

    @AfterParameterizedClassInvocation
    static void down() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static Path folder(String name) throws IOException {
        return Files.createDirectory(cluster.mount().resolve(name));
    }

    private static Shell.Result bash(Path directory, String script, Object... arguments) {
        return Shell.bash(directory, PATIENCE, script, arguments).succeeded();
    }

    @Test
    void aCopiedTreeIsTheSame() throws IOException {
        Path folder = folder("copy");
        bash(folder, """
                cp -a /usr/include/linux tree
                diff -r --no-dereference /usr/include/linux tree
                list() { (cd "$1" && find . -printf '%P %y %m %n %U:%G %T@ %l\\n' | sort); }
                diff <(list /usr/include/linux) <(list tree)
                """);
        assertThat(bash(folder, "find tree | wc -l").line())
                .isEqualTo(bash(Path.of("/usr/include"), "find linux | wc -l").line());
    }

    @Test
    void gitFindsNoFault() throws IOException {
        Shell.requirePrograms("git");
        Path folder = folder("git");
        String status = bash(folder, """
                git init -q .
                git config user.name nobody
                git config user.email nobody@example.org
                cp -r /usr/include/linux/netfilter .
                git add .
                git commit -q -m first
                for i in 1 2 3; do echo "change $i" >>netfilter/x_tables.h; git commit -q -a -m "change $i"; done
                git checkout -q -b side HEAD~2
                git mv netfilter moved
                git commit -q -m moved
                git gc -q
                git fsck --strict --no-progress
                git rev-list --count HEAD
                git status --porcelain
                """).line();
        assertThat(status).isEqualTo("3");
    }

    @Test
    void makeBuildsProjectInC() throws IOException {
        Shell.requirePrograms("make", "gcc");
        Path folder = folder("make");
        StringBuilder main = new StringBuilder("#include <stdio.h>\n");
        StringBuilder sum = new StringBuilder("0");
        for (int i = 0; i < 12; i++) {
            Files.writeString(
                    folder.resolve("part" + i + ".c"), "int part%d(void) { return %d; }\n".formatted(i, i * i));
            main.append("int part").append(i).append("(void);\n");
            sum.append(" + part").append(i).append("()");
        }
        main.append("int main(void) { printf(\"%d\\n\", ").append(sum).append("); return 0; }\n");
        Files.writeString(folder.resolve("main.c"), main);
        Files.writeString(folder.resolve("Makefile"), """
                objects = $(patsubst %.c,%.o,$(wildcard *.c))
                sum: $(objects)
                \t$(CC) -o $@ $^
                """);
        assertThat(bash(folder, "make -s -j2; ./sum").line()).isEqualTo("506");
        assertThat(bash(folder, "make -q && echo current").line())
                .as("times tell make that nothing is to be done")
                .isEqualTo("current");
        bash(folder, "touch part3.c; not make -q; make -s; make -q");
    }

    @Test
    void sqliteInWalModeStaysIntact() throws IOException {
        Shell.requirePrograms("sqlite3");
        Path folder = folder("sqlite");
        String answer = bash(folder, """
                sqlite3 db 'pragma journal_mode=wal; create table t(k integer primary key, v blob);' >/dev/null
                insert() {
                  for i in 1 2 3 4 5 6; do
                    sqlite3 -cmd '.timeout 60000' db "begin immediate;
                      with recursive n(i) as (select 1 union all select i+1 from n where i<200)
                      insert into t(v) select randomblob(300 + i) from n; commit;"
                  done
                }
                insert & one=$!
                insert & two=$!
                wait $one; wait $two
                sqlite3 db 'delete from t where k % 3 = 0; pragma wal_checkpoint(truncate);' >/dev/null
                sqlite3 db 'pragma integrity_check; select count(*) from t;'
                """).line();
        assertThat(answer).isEqualTo("ok\n1600");
    }

    @Test
    void secondRsyncMovesNothing() throws IOException {
        Shell.requirePrograms("rsync");
        Path folder = folder("rsync");
        String first = bash(folder, "rsync -a --itemize-changes /usr/include/linux/ copy")
                .line();
        assertThat(first).contains("stddef.h");
        assertThat(bash(folder, "rsync -a --itemize-changes /usr/include/linux/ copy")
                        .line())
                .isEmpty();
        assertThat(bash(folder, "rsync -a --checksum --dry-run --itemize-changes /usr/include/linux/ copy")
                        .line())
                .isEmpty();
    }

    @Test
    void tarBringsBackWhatItPacked() throws IOException {
        Path folder = folder("tar");
        bash(folder, """
                mkdir -p tree/deep/er
                cp -r /usr/include/linux/netfilter tree/
                ln -s deep/er tree/link; ln tree/netfilter/x_tables.h tree/hard
                mkfifo tree/fifo; truncate -s 3M tree/deep/hole; echo end >>tree/deep/hole
                chmod 2750 tree/deep; chmod 600 tree/hard; touch -d '2001-02-03 04:05:06.789' tree/deep/er
                tar --format=posix --sparse -cf all.tar tree
                tar -df all.tar
                mkdir out; tar -xpf all.tar -C out
                tar -df all.tar -C out
                diff -r --no-dereference tree/netfilter out/tree/netfilter
                test "$(stat -c '%a %h' out/tree/hard)" = '600 2'
                test "$(stat -c %a out/tree/deep)" = 2750
                test -p out/tree/fifo
                """);
        assertThat(bash(folder, "stat -c %y out/tree/deep/er").line()).contains("04:05:06.789000000");
    }

    @Test
    void largeFileKeepsItsChecksum() throws IOException {
        Path folder = folder("large");
        String written = writeRandom(folder.resolve("big"), 300);
        assertThat(Files.size(folder.resolve("big"))).isEqualTo(300L << 20);
        assertThat(bash(folder, "sha256sum <big | cut -c1-64").line())
                .as("from the page cache or not")
                .isEqualTo(written);
        assertThat(bash(folder, "dd if=big bs=1M iflag=direct status=none | sha256sum | cut -c1-64")
                        .line())
                .as("from the servers")
                .isEqualTo(written);
        Files.delete(folder.resolve("big"));
    }

    /** Writes so many MiB, none like another; answers their checksum. */
    private static String writeRandom(Path file, int mebibytes) throws IOException {
        Random random = new Random(mebibytes);
        byte[] piece = new byte[1 << 20];
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
        try (OutputStream out = Files.newOutputStream(file)) {
            for (int i = 0; i < mebibytes; i++) {
                random.nextBytes(piece);
                digest.update(piece);
                out.write(piece);
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    @Test
    void thousandsOfNamesAreListedOnceEach() throws IOException {
        Path folder = folder("many");
        int count = 3000;
        for (int i = 0; i < count; i++) {
            Files.createFile(folder.resolve("file-" + i));
        }
        assertThat(names(folder))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, count).mapToObj(i -> "file-" + i).toList());
        for (int i = 0; i < count; i += 2) {
            Files.delete(folder.resolve("file-" + i));
        }
        assertThat(names(folder))
                .containsExactlyInAnyOrderElementsOf(IntStream.range(0, count)
                        .filter(i -> i % 2 == 1)
                        .mapToObj(i -> "file-" + i)
                        .toList());
        bash(folder.getParent(), "rm -r many");
        assertThat(folder).doesNotExist();
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return new ArrayList<>(entries.map(e -> e.getFileName().toString()).toList());
        }
    }

    @Test
    void dfAndDuAddUp() throws IOException {
        Path folder = folder("space");
        long usedBefore = settledUse(folder);
        bash(folder, "for i in $(seq 20); do head -c 2000000 /dev/urandom >f$i; done; truncate -s 100M hole; sync");
        long du = Long.parseLong(bash(folder, "du -s -B1 . | cut -f1").line());
        assertThat(du).as("20 files of 489 blocks, no blocks for the hole").isBetween(40_000_000L, 41_000_000L);
        assertThat(used(folder) - usedBefore).as("df grows by what du counts").isBetween(40_000_000L, 60_000_000L);
        assertThat(bash(folder, "du -s --apparent-size -B1 . | cut -f1").line()).hasSize(9);
        long[] df = df(folder);
        assertThat(df[1] + df[2]).as("used and available are all").isEqualTo(df[0]);
        bash(folder, "rm f* hole; sync");
        assertThat(settledUse(folder) - usedBefore).as("all comes back").isLessThan(10_000_000L);
    }

    /** What is freed rests for a moment, in case somebody still reads it: the use once it stays the same. */
    private static long settledUse(Path folder) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        long use = used(folder);
        long since = System.nanoTime();
        while (System.nanoTime() - since < TimeUnit.SECONDS.toNanos(SETTLED_SECONDS)) {
            assertThat(System.nanoTime() - deadline).as("df settles").isNegative();
            Leftovers.pause();
            long now = used(folder);
            if (now != use) {
                use = now;
                since = System.nanoTime();
            }
        }
        return use;
    }

    private static long used(Path folder) {
        return df(folder)[1];
    }

    /** Size, used, available; bytes. */
    private static long[] df(Path folder) {
        String[] fields = bash(folder, "df -B1 --output=size,used,avail . | tail -n 1")
                .line()
                .split(" +", -1);
        return Stream.of(fields).mapToLong(Long::parseLong).toArray();
    }
}
