package org.octofs.server.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.octofs.server.lease.FileLockTable.Outcome;

/** Goal: the rules of fcntl(2). Method: random locks beside a model with one cell per byte and owner. */
class FileLockTableTest {
    private static final long INO = 42;
    private static final int BYTES = 40;
    private static final int OWNERS = 4;

    /** An owner is {client, owner}: two clients with two owners each. */
    private static FileLock lock(int who, long start, long end, boolean exclusive) {
        return new FileLock(1 + who / 2, who % 2, start, end == BYTES - 1 ? Long.MAX_VALUE : end, exclusive, who);
    }

    @ParameterizedTest
    @ValueSource(longs = {21, 22, 23, 24, 25, 26})
    void behavesAsBytes(long seed) {
        Random random = new Random(seed);
        FileLockTable table = new FileLockTable();
        // 0 = none, 1 = read, 2 = write
        int[][] model = new int[OWNERS][BYTES];
        int conflicts = 0;
        for (int step = 0; step < 5000; step++) {
            int who = random.nextInt(OWNERS);
            int start = random.nextInt(BYTES);
            int end = start + random.nextInt(BYTES - start);
            int type = random.nextInt(3);
            FileLock wanted = lock(who, start, end, type == 2);
            if (type == 0) {
                assertThat(table.unlock(INO, wanted)).isTrue();
                set(model[who], start, end, 0);
            } else if (conflicts(model, who, start, end, type)) {
                conflicts++;
                assertThat(table.conflict(INO, wanted).conflictsWith(wanted)).isTrue();
                assertThat(table.lock(INO, wanted)).isEqualTo(Outcome.CONFLICT);
            } else {
                assertThat(table.conflict(INO, wanted)).isNull();
                assertThat(table.lock(INO, wanted)).isEqualTo(Outcome.GRANTED);
                set(model[who], start, end, type);
            }
            if (random.nextInt(200) == 0) {
                table.releaseClient(2);
                set(model[2], 0, BYTES - 1, 0);
                set(model[3], 0, BYTES - 1, 0);
            }
            compare(table, model);
        }
        assertThat(conflicts).isGreaterThan(100);
    }

    private static void set(int[] cells, int start, int end, int type) {
        for (int i = start; i <= end; i++) {
            cells[i] = type;
        }
    }

    private static boolean conflicts(int[][] model, int who, int start, int end, int type) {
        for (int other = 0; other < OWNERS; other++) {
            for (int i = start; i <= end && other != who; i++) {
                if (model[other][i] == 2 || (model[other][i] == 1 && type == 2)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Compares bytes and the number of locks: as few as describe the bytes. */
    private static void compare(FileLockTable table, int[][] model) {
        int[][] found = new int[OWNERS][BYTES];
        for (FileLock held : table.locks(INO)) {
            for (long i = held.start(); i <= Math.min(held.end(), BYTES - 1); i++) {
                assertThat(found[held.pid()][(int) i]).isZero();
                found[held.pid()][(int) i] = held.exclusive() ? 2 : 1;
            }
        }
        int runs = 0;
        for (int who = 0; who < OWNERS; who++) {
            assertThat(found[who]).isEqualTo(model[who]);
            for (int i = 0; i < BYTES; i++) {
                runs += model[who][i] != 0 && (i == 0 || model[who][i - 1] != model[who][i]) ? 1 : 0;
            }
        }
        assertThat(table.locks(INO)).hasSize(runs);
        assertThat(table.lockCount()).isEqualTo(runs);
    }

    @Test
    void conflictNamesTheFirstLockInTheWay() {
        FileLockTable table = new FileLockTable();
        table.lock(INO, new FileLock(1, 0, 50, 60, true, 500));
        table.lock(INO, new FileLock(1, 1, 10, 20, false, 100));
        FileLock wanted = new FileLock(2, 0, 0, Long.MAX_VALUE, true, 7);
        assertThat(table.conflict(INO, wanted).pid()).isEqualTo(100);
        assertThat(table.conflict(INO + 1, wanted)).isNull();
    }

    @Test
    void anUpgradeThatConflictsKeepsTheOldLock() {
        FileLockTable table = new FileLockTable();
        table.lock(INO, new FileLock(1, 0, 0, Long.MAX_VALUE, false, 1));
        table.lock(INO, new FileLock(2, 0, 0, Long.MAX_VALUE, false, 2));
        assertThat(table.lock(INO, new FileLock(1, 0, 0, Long.MAX_VALUE, true, 1)))
                .isEqualTo(Outcome.CONFLICT);
        assertThat(table.lockCount()).isEqualTo(2);
        table.releaseClient(2);
        assertThat(table.lock(INO, new FileLock(1, 0, 0, Long.MAX_VALUE, true, 1)))
                .isEqualTo(Outcome.GRANTED);
        assertThat(table.lockCount()).isEqualTo(1);
    }

    @Test
    void aFileHasAtMostSoManyLocks() {
        FileLockTable table = new FileLockTable();
        long at = 0;
        while (table.lock(INO, new FileLock(1, 0, at, at + 4, true, 1)) == Outcome.GRANTED) {
            at += 10;
        }
        assertThat(table.lock(INO, new FileLock(1, 0, at, at + 4, true, 1))).isEqualTo(Outcome.FULL);
        assertThat(table.lockCount()).isBetween(FileLockTable.LOCKS_PER_FILE_MAX - 2, FileLockTable.LOCKS_PER_FILE_MAX);
        assertThat(table.unlock(INO, new FileLock(1, 0, 2, 2, true, 1))).isTrue();
        assertThat(table.unlock(INO, new FileLock(1, 0, 12, 12, true, 1))).isFalse();
        assertThat(table.unlock(INO, new FileLock(1, 0, 0, Long.MAX_VALUE, true, 1)))
                .isTrue();
        assertThat(table.lockCount()).isZero();
    }

    @Test
    void rejectsARangeThatIsNone() {
        assertThatThrownBy(() -> new FileLock(1, 1, 5, 4, true, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new FileLock(1, 1, -1, 4, true, 1)).isInstanceOf(IllegalArgumentException.class);
    }
}
