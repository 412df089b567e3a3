package org.octofs.fuse.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.octofs.fuse.memory.ForwardingOperations;
import org.octofs.fuse.memory.MemoryFileSystem;
import org.octofs.fuse.memory.MountedMemory;
import org.octofs.fuse.memory.RegionFileSystem;

/** The binding against the kernel: real mounts of a file system in memory. The whole of POSIX is in the tests of mounts. */
@Timeout(60)
class KernelBindingTest {
    private static final int FILES = 2_000;
    private static final int POLL_NANOS = 5_000_000;
    private static final int LOOKS_MAX = 6_000;

    @TempDir
    Path folder;

    /** Also at the end of the file, and of one without bytes. */
    @Test
    void whatIsSentFromWhereItLiesIsWhatWasWritten() throws Exception {
        try (MountedMemory mount = new MountedMemory(
                () -> new KernelBinding(Thread.ofPlatform().daemon().factory()), new RegionFileSystem(), 4)) {
            Path copy = folder.resolve("copy");
            Files.write(copy, new byte[0]);
            assertThat(mount.shell("head -c 3500001 /dev/urandom > " + copy + " && cp " + copy + " file"
                            + " && cmp file " + copy + " && dd if=file iflag=direct bs=1M status=none | cmp - " + copy
                            + " && : > empty && cat empty"))
                    .isEmpty();
        }
    }

    @Test
    void listingsWithAttributesCountEachLookUpOnce() throws Exception {
        MemoryFileSystem memory = new MemoryFileSystem(Clock.systemUTC(), 64L << 20);
        AtomicInteger plus = new AtomicInteger();
        Map<String, ForwardingOperations.Before> before = Map.of("readdirplus", _ -> {
            plus.incrementAndGet();
            return null;
        });
        try (MountedMemory mount = new MountedMemory(
                () -> new KernelBinding(Thread.ofPlatform().daemon().factory()),
                ForwardingOperations.of(memory, before),
                4)) {
            assertThat(mount.shell("touch $(seq -f file-%g " + FILES + ") && ls -l | wc -l"))
                    .isEqualTo(Integer.toString(FILES + 1));
            assertThat(plus.get()).as("listings with attributes").isPositive();
            // What is gone and known to nobody leaves the file system; a look-up too many would keep it there.
            assertThat(mount.shell("find . -name 'file-*' -delete; ls | wc -l")).isEqualTo("0");
            Files.writeString(Path.of("/proc/sys/vm/drop_caches"), "2");
            for (int looks = 0; looks < LOOKS_MAX && memory.lookups() > 0; looks++) {
                LockSupport.parkNanos(POLL_NANOS);
            }
            assertThat(memory.lookups()).isZero();
        }
    }
}
