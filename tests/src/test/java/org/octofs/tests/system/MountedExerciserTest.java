package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.octofs.tests.posix.PosixException;
import org.octofs.tests.posix.SyscallPosix;

/**
 * Goal: one file behaves as an array of bytes through the kernel. Method: random reads, writes, shared mappings, truncations, holes,
 * allocations and copies against a shadow copy, on one mount and alternating over two, where each opens the file anew. A
 * failure prints seed and step.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class MountedExerciserTest {
    private static final int SIZE_MAX = 1 << 20;
    private static final int LENGTH_MAX = 70_000;
    private static final int TURN_MAX = 60;
    private static final int KEEP_AND_PUNCH = 3;
    private static final int ZERO = 16;
    private static final int RDWR = 2;
    private static final int CREAT = 0100;
    private static final byte[] NAME = {'x'};

    private byte[] shadow = new byte[0];

    @ParameterizedTest
    @ValueSource(strings = {"kernel", "jnr"})
    void aFileIsAnArray(String binding) throws PosixException {
        exercise(binding, 0x5EED, 2_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"kernel", "jnr"})
    @Tag("slow")
    void aFileIsAnArrayForLong(String binding) throws PosixException {
        exercise(binding, System.nanoTime(), 100_000);
    }

    private void exercise(String binding, long seed, int steps) throws PosixException {
        Random random = new Random(seed);
        shadow = new byte[0];
        try (SystemCluster cluster = SystemCluster.up(2, "256M", "auto", "binding=" + binding)) {
            Path other = cluster.addMount2();
            // The first half on one mount, the second in turns.
            try (SyscallPosix here = new SyscallPosix(cluster.mount());
                    SyscallPosix there = new SyscallPosix(other)) {
                List<SyscallPosix> mounts = List.of(here, there);
                for (int step = 0; step < steps; ) {
                    SyscallPosix mount = mounts.get(step < steps / 2 ? 0 : random.nextInt(2));
                    int file = mount.open(NAME, RDWR | CREAT, 0644);
                    for (int end = step + 1 + random.nextInt(TURN_MAX); step < end; step++) {
                        step(mount, file, random, binding + ", seed " + seed + ", step " + step);
                    }
                    mount.close(file);
                }
            }
        }
    }

    private void step(SyscallPosix mount, int file, Random random, String where) throws PosixException {
        int from = random.nextInt(SIZE_MAX - LENGTH_MAX);
        from = random.nextBoolean() ? from & -4096 : from;
        int length = 1 + random.nextInt(random.nextBoolean() ? LENGTH_MAX : 300);
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> {
                byte[] data = bytes(random, length);
                assertThat(mount.write(file, from, data)).as(where).isEqualTo(length);
                put(from, data);
            }
            case 3 -> {
                byte[] data = bytes(random, length);
                if (from + length <= shadow.length) {
                    mount.writeMapped(file, from, data);
                    put(from, data);
                }
            }
            case 4 -> {
                int size = random.nextInt(SIZE_MAX);
                mount.truncate(file, size);
                shadow = Arrays.copyOf(shadow, size);
            }
            case 5 -> {
                mount.allocate(file, KEEP_AND_PUNCH, from, length);
                zero(from, length);
            }
            case 6 -> {
                mount.allocate(file, ZERO, from, length);
                grow(from + length);
                zero(from, length);
            }
            case 7 -> {
                mount.allocate(file, 0, from, length);
                grow(from + length);
            }
            case 8 -> copy(mount, file, from, length, where);
            case 9 -> assertThat(mount.status(file).size()).as(where).isEqualTo(shadow.length);
            default -> check(mount, file, from, length, where);
        }
        if (random.nextInt(200) == 0) {
            mount.sync(file);
            check(mount, file, 0, SIZE_MAX, where + ", all of it");
        }
    }

    private void copy(SyscallPosix mount, int file, int from, int length, String where) throws PosixException {
        int to = from + length;
        int count = Math.max(0, Math.min(length, shadow.length - from));
        if (count > 0 && to + count <= SIZE_MAX) {
            assertThat(mount.copy(file, from, file, to, count)).as(where).isEqualTo(count);
            put(to, Arrays.copyOfRange(shadow, from, from + count));
        }
    }

    private void check(SyscallPosix mount, int file, int from, int length, String where) throws PosixException {
        byte[] got = mount.read(file, from, length);
        int expected = Math.max(0, Math.min(length, shadow.length - from));
        assertThat(got.length)
                .as("%s: bytes of a read of %d from %d", where, length, from)
                .isEqualTo(expected);
        int wrong = expected == 0 ? -1 : Arrays.mismatch(got, 0, expected, shadow, from, from + expected);
        assertThat(wrong)
                .as("%s: first wrong byte of a read of %d from %d", where, length, from)
                .isEqualTo(-1);
    }

    private static byte[] bytes(Random random, int length) {
        byte[] data = new byte[length];
        random.nextBytes(data);
        return data;
    }

    private void put(int from, byte[] data) {
        grow(from + data.length);
        System.arraycopy(data, 0, shadow, from, data.length);
    }

    private void grow(int size) {
        shadow = shadow.length < size ? Arrays.copyOf(shadow, size) : shadow;
    }

    private void zero(int from, int length) {
        if (from < shadow.length) {
            Arrays.fill(shadow, from, Math.min(shadow.length, from + length), (byte) 0);
        }
    }
}
