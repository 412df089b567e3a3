package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Servers and a mount are killed with SIGKILL at random moments, and at the end everything at once, under fio with verify,
 * metadata load, git, sqlite and tar. Then {@code octofs fsck} finds nothing wrong, and all that was fsynced is there. Each round
 * uses what the one before has left. The seed, which is printed, also decides on transport and binding. {@code -Dslow=true} storms for
 * longer.
 */
@Timeout(value = 60, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KillStormTest {
    private static final boolean SLOW = Boolean.getBoolean("slow");
    private static final int ROUNDS = Integer.getInteger("octofs.kill.rounds", SLOW ? 8 : 1);
    private static final int KILLS = SLOW ? 20 : 4;
    private static final int NODES = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private SystemCluster cluster;
    private final List<Worker> workers = new ArrayList<>();
    private int mounts;

    @AfterEach
    void down() {
        workers.forEach(Worker::close);
        if (cluster != null) {
            cluster.close();
        }
    }

    @Test
    void whatWasFsyncedSurvivesKillsOfEverything() throws Exception {
        Shell.requirePrograms("fio", "git", "sqlite3", "tar");
        long seed = System.nanoTime();
        System.out.println("kill storm with seed " + seed);
        Random random = new Random(seed);
        String transport = random.nextInt(3) == 0 ? "tcp" : "auto";
        // Three servers may take long to start on a busy machine; how long calls wait for one is not what is tried
        // here.
        String binding = (random.nextBoolean() ? "binding=kernel" : "binding=jnr") + ",timeout=600";
        System.out.println(transport + ", " + binding);
        cluster = SystemCluster.up(NODES, "256M", transport, binding);
        cluster.addMount2();
        mounts = 2;
        for (int round = 0; round < ROUNDS; round++) {
            Path scratch = Files.createDirectory(cluster.scratch().resolve("round-" + round));
            // The first mount stays while the storm lasts: a program there must not see more of it than a pause.
            Worker fio = work(new Worker("fio", cluster.mount().resolve("fio" + round), scratch, FIO, "echo FAILED"));
            List<Worker> killed = List.of(
                    work(metadata(round, cluster.mount2(), scratch)),
                    work(git(round, cluster.mount2(), scratch)),
                    work(sqlite(round, cluster.mount2(), scratch)),
                    work(tar(round, cluster.mount2(), scratch)),
                    work(fio(round, cluster.mount2(), scratch)));
            for (Worker worker : workers) {
                worker.awaitSteps(1);
            }
            storm(random, killed);
            fio.stop();
            fio.awaitEnd();
            assertThat(fio.said()).doesNotContain("FAILED");
            killEverything();
            for (Worker worker : killed) {
                worker.stop();
            }
            String said = cluster.checkPools();
            assertThat(said).contains(": clean");
            for (int node = 0; node < NODES; node++) {
                cluster.start(node);
            }
            cluster.mountAt(cluster.mount());
            cluster.mountAt(cluster.mount2());
            mounts += 2;
            for (Worker worker : killed) {
                worker.awaitEnd();
            }
            checkMetadata(killed.get(0));
            checkGit(killed.get(1));
            checkSqlite(killed.get(2));
            checkTar(killed.get(3));
            checkFio(killed.get(4));
            workers.forEach(Worker::close);
            workers.clear();
        }
    }

    private Worker work(Worker worker) {
        workers.add(worker);
        return worker;
    }

    private void storm(Random random, List<Worker> killed) throws IOException {
        for (int i = 0; i < KILLS; i++) {
            // Somewhere in the next steps of somebody.
            Worker worker = killed.get(random.nextInt(killed.size()));
            worker.awaitSteps(worker.acknowledged() + 1 + random.nextInt(3));
            int what = random.nextInt(10);
            if (i == 0 || what < 2) {
                cluster.killMountNow(mounts - 1);
                cluster.mountAt(cluster.mount2());
                mounts++;
            } else if (what == 2) {
                for (int node = 0; node < NODES; node++) {
                    cluster.killNow(node);
                }
                for (int node = NODES - 1; node >= 0; node--) {
                    cluster.start(node);
                }
            } else {
                int node = random.nextInt(NODES);
                cluster.killNow(node);
                cluster.start(node);
            }
        }
    }

    private void killEverything() throws IOException {
        for (int node = 0; node < NODES; node++) {
            cluster.killNow(node);
        }
        cluster.killMountsNow();
    }

    // ------------------------------------------------------------------------------------------------ who works

    private static final String FIO = """
            fio --name=job --directory=. --rw=randwrite --bsrange=512-64k --size=2m --numjobs=2 --fsync=8 \
              --verify=crc32c --verify_fatal=1 --verify_dump=0 --iomem_align=4096 --randseed=$i --group_reporting >/dev/null
            """;

    private static final String KEPT = "fio --name=job --directory=. --rw=write --bs=64k --size=1m --verify=crc32c"
            + " --verify_fatal=1 --verify_dump=0 --iomem_align=4096";

    /** On the mount that is killed: what is fsynced there is verified when everything is over. */
    private static Worker fio(int round, Path mount, Path scratch) throws IOException {
        return new Worker("kept", mount.resolve("kept" + round), scratch, KEPT + """
                 --filename=kept$i --randseed=$i --do_verify=0 --end_fsync=1 >/dev/null
                rm -f kept$((i - 4))
                """, "");
    }

    private static void checkFio(Worker worker) throws IOException {
        Shell.bash(worker.work(), PATIENCE, """
                        for ((i = $1 - 1; i >= 0 && i > $1 - 4; i--)); do
                          %s --filename=kept$i --randseed=$i --verify_only
                        done
                        """.formatted(KEPT), worker.acknowledged())
                .succeeded();
    }

    private static Worker metadata(int round, Path mount, Path scratch) throws IOException {
        return new Worker("metadata", mount.resolve("metadata" + round), scratch, """
                d=d$((i % 7))
                mkdir -p $d to
                if [ ! -e to/file$i ]; then
                  echo "$i" >$d/file$i
                  mv $d/file$i to/file$i
                fi
                [ -e to/link$i ] || ln to/file$i to/link$i
                mkdir -p $d/dir$i
                [ -e to/dir$i ] || mv $d/dir$i to/dir$i
                rm -f to/file$((i - 20)) to/link$((i - 20))
                # test -e is false for what cannot be looked at, too: with the mount killed, that would be taken for done.
                LC_ALL=C stat to/dir$((i - 20)) 2>&1 | grep -q 'No such file' || rmdir to/dir$((i - 20))
                """, "");
    }

    private static void checkMetadata(Worker worker) throws IOException {
        Shell.bash(worker.work(), PATIENCE, """
                        cd to
                        for ((i = 0; i < $1; i++)); do
                          # The step in between may have been under way.
                          if ((i + 20 < $1)); then
                            [ ! -e file$i ] && [ ! -e link$i ] && [ ! -e dir$i ] \
                              || { echo "step $i is back"; ls -lid *$i; exit 1; }
                          elif ((i + 20 > $1)); then
                            [ file$i -ef link$i ] && [ "$(stat -c %h file$i)" = 2 ] && [ -d dir$i ] \
                              || { echo "step $i is lost"; ls -li; exit 1; }
                          fi
                        done
                        """, worker.acknowledged()).succeeded();
    }

    private static Worker git(int round, Path mount, Path scratch) throws IOException {
        return new Worker("git", mount.resolve("git" + round), scratch, """
                [ -e .git/HEAD ] && git rev-parse --git-dir >/dev/null 2>&1 || git init -q .
                head -c 20000 /dev/urandom >file$((i % 5))
                git add .
                git -c user.name=n -c user.email=e -c core.fsync=all -c core.fsyncMethod=fsync -c gc.auto=0 \
                  commit -q -m "step $i"
                """, """
                find .git -name '*.lock' -delete && git reset -q
                """);
    }

    private static void checkGit(Worker worker) throws IOException {
        Shell.bash(
                        worker.work(),
                        PATIENCE,
                        """
                        git -c safe.directory='*' fsck --full
                        git -c safe.directory='*' log --format=%s >"$2"
                        for ((i = 0; i < $1; i++)); do
                          grep -qx "step $i" "$2" || { echo "commit $i is lost"; exit 1; }
                        done
                        """,
                        worker.acknowledged(),
                        worker.work().resolve("log"))
                .succeeded();
    }

    private static Worker sqlite(int round, Path mount, Path scratch) throws IOException {
        return new Worker("sqlite", mount.resolve("sqlite" + round), scratch, """
                sqlite3 -bail db "PRAGMA synchronous=FULL;
                  CREATE TABLE IF NOT EXISTS t(i INTEGER PRIMARY KEY, x TEXT);
                  INSERT OR REPLACE INTO t VALUES($i, hex(randomblob(2000)));" >/dev/null
                """, "");
    }

    private static void checkSqlite(Worker worker) throws IOException {
        String said = Shell.bash(worker.work(), PATIENCE, """
                        sqlite3 db "PRAGMA integrity_check; SELECT count(*) FROM t WHERE i < $1;"
                        """, worker.acknowledged())
                .succeeded()
                .line();
        assertThat(said).isEqualTo("ok\n" + worker.acknowledged());
    }

    private static Worker tar(int round, Path mount, Path scratch) throws IOException {
        Path docs = Path.of(System.getProperty("octofs.root"), "docs");
        return new Worker("tar", mount.resolve("tar" + round), scratch, """
                tar cf tar$i -C "%1$s" .
                sync tar$i
                rm -rf tree$i
                mkdir tree$i
                tar xf tar$i -C tree$i
                find tree$i -type f -exec sync {} +
                rm -rf tree$((i - 2)) tar$((i - 2))
                """.formatted(docs), "");
    }

    private static void checkTar(Worker worker) throws IOException {
        Path docs = Path.of(System.getProperty("octofs.root"), "docs");
        Shell.bash(worker.work(), PATIENCE, """
                        last=$(($1 - 1))
                        tar df tar$last -C "$2"
                        diff -r "$2" tree$last
                        """, worker.acknowledged(), docs).succeeded();
    }
}
