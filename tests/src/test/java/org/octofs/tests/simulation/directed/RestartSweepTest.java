package org.octofs.tests.simulation.directed;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.client.client.AttributeChange;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientCounter;
import org.octofs.client.client.Consistency;
import org.octofs.client.client.FsException;
import org.octofs.client.client.LockSpec;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.tests.simulation.cluster.SimClient;
import org.octofs.tests.simulation.directed.Rig.Task;

/** Goal: a server may be restarted at any step of a few calls. Method: it is, at one step after the other. */
@Timeout(120)
class RestartSweepTest {
    private static final long ROOT = 1;
    private static final int BLOCK = 4096;
    private static final int BYTES = 6 * BLOCK;
    private static final byte[] NAME = {'a'};

    private static OpenFile create(SimClient client) throws FsException {
        return client.files().create(ROOT, NAME, 0644, 0, 0, OpenFlags.RDWR, new Attributes());
    }

    private static byte[] content() {
        byte[] bytes = new byte[BYTES];
        Arrays.fill(bytes, (byte) 7);
        return bytes;
    }

    /** A PERSIST that is sent again is answered by the node's next life, which has not seen what was pushed before. */
    @Test
    void whatIsSyncedWhileAServerRestartsIsThereOrWasRefused() {
        int synced = 0;
        int refused = 0;
        boolean ended = false;
        for (int step = 0; !ended; step++) {
            Rig rig = new Rig(1, Consistency.COHERENT, 77);
            SimClient writer = rig.client();
            OpenFile[] file = new OpenFile[1];
            rig.call(writer, () -> {
                file[0] = create(writer);
                writer.files().write(file[0], 0, MemorySegment.ofArray(content()), 0, BYTES);
            });
            Task sync = rig.go(writer, () -> writer.files().fsync(file[0], false));
            rig.steps(step, sync);
            ended = sync.isDone();
            rig.crash(0);
            rig.until(sync::isDone);
            if (sync.failure() == null) {
                synced++;
                SimClient reader = rig.client();
                byte[] got = new byte[BYTES];
                rig.call(reader, () -> {
                    OpenFile seen = reader.files().open(file[0].ino(), OpenFlags.RDONLY);
                    assertThat(reader.files().read(seen, 0, MemorySegment.ofArray(got), 0, BYTES))
                            .isEqualTo(BYTES);
                });
                assertThat(got).as("synced, with a crash at step %d", step).isEqualTo(content());
            } else {
                refused++;
            }
        }
        assertThat(synced).isPositive();
        assertThat(refused).as("crashes that lost what was pushed, and said so").isPositive();
    }

    /** What was written and not synced may be lost by a restart; who reads it then is told that, and not that the file is damaged. */
    @Test
    void readingWhatARestartHasLostSaysThatItIsLost() {
        int lost = 0;
        for (long seed = 1; seed <= 10; seed++) {
            Rig rig = new Rig(1, Consistency.COHERENT, seed);
            SimClient client = rig.client();
            OpenFile[] file = new OpenFile[1];
            byte[] got = new byte[BYTES];
            rig.call(client, () -> {
                file[0] = create(client);
                client.files().write(file[0], 0, MemorySegment.ofArray(content()), 0, BYTES);
            });
            rig.crash(0);
            Task read = rig.go(client, () -> client.files().read(file[0], 0, MemorySegment.ofArray(got), 0, BYTES));
            rig.until(read::isDone);
            if (read.failure() == null) {
                assertThat(got).as("seed %d", seed).isEqualTo(content());
            } else {
                assertThat(read.failure()).hasMessageContaining("lost when a data server was restarted");
                lost++;
            }
        }
        assertThat(lost).isPositive();
    }

    /** A part of a block that was pushed, and lost by a restart, must not give the rest of it a checksum that is valid again. */
    @Test
    void writingAPartOfWhatARestartHasLostSaysThatItIsLost() {
        int lost = 0;
        for (long seed = 1; seed <= 10; seed++) {
            Rig rig = new Rig(1, Consistency.COHERENT, seed);
            SimClient client = rig.client();
            OpenFile[] file = new OpenFile[1];
            byte[] expected = Arrays.copyOf(content(), BLOCK);
            rig.call(client, () -> {
                file[0] = create(client);
                client.files().write(file[0], 0, MemorySegment.ofArray(expected), 0, BLOCK);
            });
            rig.crash(0);
            byte[] part = {1, 2, 3};
            Task write = rig.go(client, () -> client.files().write(file[0], 9, MemorySegment.ofArray(part), 0, 3));
            rig.until(write::isDone);
            Task sync = rig.go(client, () -> client.files().fsync(file[0], false));
            rig.until(sync::isDone);
            if (write.failure() == null && sync.failure() == null) {
                System.arraycopy(part, 0, expected, 9, 3);
                byte[] got = new byte[BLOCK];
                rig.call(client, () -> client.files().read(file[0], 0, MemorySegment.ofArray(got), 0, BLOCK));
                assertThat(got).as("seed %d", seed).isEqualTo(expected);
            } else {
                assertThat(write.failure()).hasMessageContaining("lost when a data server was restarted");
                assertThat(sync.failure()).hasMessageContaining("lost when a data server was restarted");
                lost++;
            }
        }
        assertThat(lost).isPositive();
    }

    /** Whichever call finds out that data is lost: each handle hears of it when it syncs, once. */
    @Test
    void whatARestartHasLostIsToldToEveryHandle() {
        int lost = 0;
        for (long seed = 1; seed <= 10; seed++) {
            Rig rig = new Rig(1, Consistency.COHERENT, seed);
            SimClient client = rig.client();
            OpenFile[] files = new OpenFile[2];
            rig.call(client, () -> {
                files[0] = create(client);
                files[1] = client.files().open(files[0].ino(), OpenFlags.RDWR);
                client.files().write(files[0], 0, MemorySegment.ofArray(content()), 0, BYTES);
            });
            rig.crash(0);
            Task cut = rig.go(
                    client,
                    () -> client.files()
                            .setAttributes(files[0].ino(), new AttributeChange().sizeBytes(7), new Attributes()));
            rig.until(cut::isDone);
            if (cut.failure() == null) {
                continue;
            }
            lost++;
            assertThat(cut.failure()).hasMessageContaining("lost when a data server was restarted");
            for (OpenFile file : files) {
                Task sync = rig.go(client, () -> client.files().fsync(file, false));
                rig.until(sync::isDone);
                assertThat(sync.failure()).as("seed %d", seed).isInstanceOf(FsException.class);
                rig.call(client, () -> client.files().fsync(file, false));
            }
        }
        assertThat(lost).isPositive();
    }

    /** What nodes have copied is durable when they have answered; a request that meets a restart is made anew for the next life. */
    @Test
    void aCopyMayMeetARestartAtAnyStep() {
        int again = 0;
        boolean ended = false;
        for (int step = 0; !ended; step++) {
            Rig rig = new Rig(1, Consistency.COHERENT, 31);
            SimClient client = rig.client();
            OpenFile[] files = new OpenFile[2];
            rig.call(client, () -> {
                files[0] = create(client);
                client.files().write(files[0], 0, MemorySegment.ofArray(content()), 0, BYTES);
                client.files().fsync(files[0], false);
                files[1] = client.files().create(ROOT, new byte[] {'b'}, 0644, 0, 0, OpenFlags.RDWR, new Attributes());
            });
            int[] copied = new int[1];
            Task copy = rig.go(client, () -> {
                copied[0] = client.files().copy(files[0], 0, files[1], 0, BYTES);
                client.files().fsync(files[1], false);
            });
            rig.steps(step, copy);
            ended = copy.isDone();
            rig.crash(0);
            rig.until(copy::isDone);
            assertThat(copy.failure()).as("copy with a crash at step %d", step).isNull();
            assertThat(copied[0]).isEqualTo(BYTES);
            SimClient reader = rig.client();
            byte[] got = new byte[BYTES];
            rig.call(reader, () -> {
                OpenFile seen = reader.files().open(files[1].ino(), OpenFlags.RDONLY);
                reader.files().read(seen, 0, MemorySegment.ofArray(got), 0, BYTES);
            });
            assertThat(got).as("copied, with a crash at step %d", step).isEqualTo(content());
            again += client.files().counters().rpcs(OpCode.COPY_BLOCKS) > 1 ? 1 : 0;
            assertThat(client.files().counters().get(ClientCounter.WRITE_BYTES))
                    .as("nothing but the source was pushed")
                    .isEqualTo(BYTES);
        }
        assertThat(again).as("crashes after which the copy was asked for again").isPositive();
    }

    private static void assertLockIsHadSoon(Rig rig, SimClient client, OpenFile file, String when) {
        long end = rig.world.now() + Rig.LEASE / 4;
        boolean[] granted = new boolean[1];
        while (!granted[0]) {
            Task lock = rig.go(client, () -> {
                client.files().lock(file, LockSpec.flock(LockSpec.TYPE_WRITE, 5), false);
                granted[0] = true;
            });
            rig.until(lock::isDone);
            rig.pass(10 * Rig.MILLI);
            assertThat(rig.world.now())
                    .as("no lock in a quarter of the lease, %s", when)
                    .isLessThan(end);
        }
    }

    /** A restarted server waits for everybody to tell what they hold, also for those who have nothing to ask of it. */
    @Test
    void aClientThatOnlyWaitsTellsARestartedServerWhatItHolds() {
        Rig rig = new Rig(1, Consistency.COHERENT, 5);
        SimClient active = rig.client();
        SimClient idle = rig.client();
        OpenFile[] file = new OpenFile[1];
        rig.call(active, () -> file[0] = create(active));
        rig.call(idle, () -> idle.files().getAttributes(ROOT, new Attributes()));
        rig.crash(0);
        assertLockIsHadSoon(rig, active, file[0], "with an idle client");
    }

    /** What is sent again after the restart must not be overtaken by the list of what was held before. */
    @Test
    void aLockThatIsGivenBackWhileItsServerRestartsIsFree() {
        for (long seed = 1; seed <= 40; seed++) {
            boolean ended = false;
            for (int step = 0; !ended; step++) {
                Rig rig = new Rig(1, Consistency.COHERENT, seed);
                SimClient holder = rig.client();
                SimClient other = rig.client();
                OpenFile[] files = new OpenFile[2];
                rig.call(holder, () -> {
                    files[0] = create(holder);
                    holder.files().lock(files[0], LockSpec.flock(LockSpec.TYPE_WRITE, 5), false);
                });
                rig.call(other, () -> files[1] = other.files().open(files[0].ino(), OpenFlags.RDWR));
                Task unlock = rig.go(
                        holder, () -> holder.files().lock(files[0], LockSpec.flock(LockSpec.TYPE_UNLOCK, 5), false));
                rig.steps(step, unlock);
                ended = unlock.isDone();
                rig.crash(0);
                Task open = rig.go(holder, () -> holder.files().open(ROOT, OpenFlags.RDONLY));
                rig.until(() -> unlock.isDone() && open.isDone());
                assertLockIsHadSoon(rig, other, files[1], "given back with a crash at step " + step + " seed " + seed);
            }
        }
    }

    /** An open file that nobody names any more is there as long as it is open, also if its last opening met a restart. */
    @Test
    void aFileThatIsOpenedAnewWhileItsServerRestartsStaysOpen() {
        for (long seed = 1; seed <= 4; seed++) {
            boolean ended = false;
            for (int step = 0; !ended; step += 3) {
                Rig rig = new Rig(1, Consistency.COHERENT, seed);
                SimClient client = rig.client();
                OpenFile[] file = new OpenFile[1];
                rig.call(client, () -> {
                    file[0] = create(client);
                    client.files().write(file[0], 0, MemorySegment.ofArray(content()), 0, BYTES);
                    client.files().fsync(file[0], false);
                    client.files().release(file[0]);
                });
                // The CLOSE goes a moment later, while others are at it.
                rig.pass(20 * Rig.MILLI);
                Task again = rig.go(client, () -> {
                    for (int i = 0; i < 40; i++) {
                        file[0] = client.files().open(file[0].ino(), OpenFlags.RDWR);
                        if (i < 39) {
                            client.files().release(file[0]);
                            LockSupport.parkNanos(2 * Rig.MILLI);
                        }
                    }
                });
                rig.steps(step, again);
                ended = again.isDone();
                rig.crash(0);
                rig.until(again::isDone);
                rig.pass(Rig.SECOND);
                byte[] got = new byte[BYTES];
                rig.call(client, () -> {
                    client.files().unlink(ROOT, NAME);
                    assertThat(client.files().read(file[0], 0, MemorySegment.ofArray(got), 0, BYTES))
                            .isEqualTo(BYTES);
                });
                rig.pass(Rig.SECOND);
                rig.crash(0);
                rig.call(client, () -> client.files().read(file[0], 0, MemorySegment.ofArray(got), 0, BYTES));
                assertThat(got).as("read with a crash at step %d", step).isEqualTo(content());
            }
        }
    }

    /** The session is on record before the client knows which life of the server it is in. */
    @Test
    void aServerMayRestartAtAnyStepOfAConnect() {
        boolean ended = false;
        for (int step = 0; !ended; step++) {
            Rig rig = new Rig(1, Consistency.COHERENT, 5);
            SimClient active = rig.client();
            OpenFile[] file = new OpenFile[1];
            rig.call(active, () -> file[0] = create(active));
            SimClient late = rig.cluster.client();
            Task connect = rig.connect(late);
            rig.steps(step, connect);
            ended = connect.isDone();
            rig.crash(0);
            rig.until(connect::isDone);
            assertLockIsHadSoon(rig, active, file[0], "with a crash at step " + step + " of a connect");
        }
    }

    /** The lease begins when the client is lost, not when it was last heard of. */
    @Test
    void aClientThatWasIdleForLongMayLoseItsConnection() {
        Rig rig = new Rig(2, Consistency.COHERENT, 9);
        SimClient client = rig.client();
        rig.pass(3 * Rig.LEASE);
        rig.cluster.network().cut(client.process(), rig.cluster.servers().get(0).process(), Rig.SECOND);
        rig.pass(5 * Rig.SECOND);
        rig.call(client, () -> create(client));
    }
}
