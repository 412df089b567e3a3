package org.octofs.fuse.jnr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.octofs.client.mounts.MountTable;
import org.octofs.fuse.fuse.AttributesReply;
import org.octofs.fuse.fuse.EntryReply;
import org.octofs.fuse.fuse.FuseOperations;
import org.octofs.fuse.fuse.MountParameters;
import org.octofs.fuse.memory.ForwardingOperations;
import org.octofs.fuse.memory.ForwardingOperations.Before;
import org.octofs.fuse.memory.MemoryFileSystem;
import org.octofs.fuse.memory.MountedMemory;

/** The binding against the kernel: real mounts of a file system in memory. */
@Timeout(60)
class JnrBindingTest {
    private static final int THREADS = 4;

    private static MemoryFileSystem memory() {
        return new MemoryFileSystem(Clock.systemUTC(), 256L << 20);
    }

    private static MountedMemory mounted() throws IOException {
        return new MountedMemory(JnrBinding::new, memory(), THREADS);
    }

    private static MountedMemory mounted(int threads, Map<String, Before> before) throws IOException {
        return new MountedMemory(JnrBinding::new, ForwardingOperations.of(memory(), before), threads);
    }

    private static String firstLine(Process process) throws IOException {
        return process.inputReader(StandardCharsets.UTF_8).readLine();
    }

    @Test
    void showsItselfInTheMountTable() throws Exception {
        try (MountedMemory mount = mounted()) {
            MountTable.Entry entry = MountTable.find(mount.directory()).orElseThrow();
            assertThat(entry.type()).isEqualTo("fuse.octofs");
            assertThat(entry.source()).isEqualTo("memory");
        }
    }

    @Test
    void dataComesBack() throws Exception {
        byte[] data = new byte[3_000_001];
        new Random(7).nextBytes(data);
        try (MountedMemory mount = mounted()) {
            Path file = mount.directory().resolve("f");
            Files.write(file, data);
            assertThat(Arrays.equals(Files.readAllBytes(file), data)).isTrue();
            assertThat(mount.shell("dd if=f iflag=direct bs=1M status=none | cmp - f && stat -c %s f"))
                    .isEqualTo("3000001");
        }
    }

    @Test
    void namesAreBytes() throws Exception {
        try (MountedMemory mount = mounted()) {
            // Not UTF-8, cut UTF-8, half of a surrogate pair, newline.
            assertThat(mount.shell("for n in '\\377\\376' '\\303' '\\355\\240\\200' 'a\\nb'; do"
                            + " printf \"$n\" >\"$(printf \"$n\")\"; done;"
                            + " for f in *; do printf %s \"$f\" | cmp - \"$f\" && printf %s \"$f\" | od -An -tx1; done"
                            + " | LC_ALL=C sort"))
                    .isEqualToIgnoringWhitespace("61 0a 62 c3 ed a0 80 ff fe");
        }
    }

    @Test
    void attributesGoBothWays() throws Exception {
        try (MountedMemory mount = mounted()) {
            assertThat(mount.shell("touch f; chown 12:34 f; chmod 6751 f; truncate -s 5000 f;"
                            + " touch -a -d '2001-02-03 04:05:06.123456789Z' f;"
                            + " touch -m -d '1955-01-01 00:00:00.000000001Z' f;"
                            + " stat -c '%a %u %g %s %h %.9X %.9Y' f"))
                    .isEqualTo("6751 12 34 5000 1 981173106.123456789 -473385599.999999999");
            assertThat(mount.shell("mkfifo p; ln -s some/where l; mkdir d; stat -c '%F' p l d; readlink l;"
                            + " stat -f -c '%s %l' ."))
                    .isEqualTo("fifo\nsymbolic link\ndirectory\nsome/where\n4096 255");
            assertThat(mount.shell("mknod c c 1 3; stat -c '%t %T' c")).isEqualTo("1 3");
        }
    }

    @Test
    void anUnlinkedOpenFileIsWhole() throws Exception {
        try (MountedMemory mount = mounted()) {
            assertThat(mount.shell("mkdir d; exec 3<>d/f; echo hello >&3; rm d/f; rmdir d;"
                            + " truncate -s 4 /proc/self/fd/3; chmod 600 /proc/self/fd/3;"
                            + " stat -L -c '%h %s %a' /proc/self/fd/3; cat /proc/self/fd/3; ls -A"))
                    .isEqualTo("0 4 600\nhell");
        }
    }

    @Test
    void extendedAttributesAndTheirErrors() throws Exception {
        try (MountedMemory mount = mounted()) {
            assertThat(mount.shell("touch f; setfattr -n user.k -v value f; setfattr -n user.empty f;"
                            + " getfattr --only-values -n user.k f; echo; getfattr f | grep -c '^user';"
                            + " setfattr -n nonsense.k -v 1 f 2>&1 | grep -o 'not supported'; setfattr -x user.k f;"
                            + " getfattr -n user.k f 2>&1 | grep -o 'No such attribute'"))
                    .isEqualTo("value\n2\nnot supported\nNo such attribute");
        }
    }

    @Test
    void aLongListingIsWhole() throws Exception {
        try (MountedMemory mount = mounted()) {
            for (int i = 0; i < 1000; i++) {
                Files.createFile(mount.directory().resolve("a-rather-long-name-of-a-file-" + i));
            }
            try (var list = Files.list(mount.directory())) {
                assertThat(list.distinct().count()).isEqualTo(1000);
            }
        }
    }

    @Test
    void whatAnOperationThrowsIsAnErrorOfOneCall() throws Exception {
        Before thrower = arguments -> {
            throw new IllegalStateException("meant to");
        };
        try (MountedMemory mount = mounted(THREADS, Map.of("mkdir", thrower))) {
            assertThat(mount.shell("mkdir d 2>&1 | grep -o 'Input/output error'; echo works >f; cat f"))
                    .isEqualTo("Input/output error\nworks");
        }
    }

    @Test
    void anOperationThatWaitsHoldsNobodyElse() throws Exception {
        CountDownLatch entered = new CountDownLatch(3);
        CountDownLatch released = new CountDownLatch(1);
        Before waiter = arguments -> {
            entered.countDown();
            released.await();
            return null;
        };
        // One thread, and three operations that wait: the rest is served by threads added.
        try (MountedMemory mount = mounted(1, Map.of("rmdir", waiter))) {
            // Each in a directory of its own: the kernel changes one entry of a directory at a time.
            mount.shell("mkdir -p 0/d 1/d 2/d");
            Process waiting = mount.start("for i in 0 1 2; do rmdir $i/d & done; wait; ls 0 1 2 | grep -c d");
            assertThat(entered.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(mount.shell("echo served >f && cat f")).isEqualTo("served");
            released.countDown();
            assertThat(firstLine(waiting)).isEqualTo("0");
        }
    }

    @Test
    void aLockThatWaitsIsGrantedOrKilled() throws Exception {
        try (MountedMemory mount = mounted(1, Map.of())) {
            mount.shell("touch f");
            // The holder says so on its output, then waits for its input to end.
            Process holder = mount.start("exec flock f sh -c 'echo held; read x'");
            assertThat(firstLine(holder)).isEqualTo("held");
            Process killed = mount.start("exec flock f true");
            Process granted = mount.start("exec flock f echo granted");
            assertThat(mount.shell("flock -n f true")).isEqualTo("[exit 1]");
            assertThat(killed.waitFor(300, TimeUnit.MILLISECONDS)).isFalse();
            killed.destroyForcibly();
            assertThat(killed.waitFor(10, TimeUnit.SECONDS)).isTrue();
            holder.getOutputStream().close();
            assertThat(firstLine(granted)).isEqualTo("granted");
            assertThat(granted.waitFor(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void theKernelForgetsWhatItIsToldTo() throws Exception {
        AtomicInteger lookups = new AtomicInteger();
        Before cachedName = arguments -> {
            lookups.incrementAndGet();
            EntryReply out = (EntryReply) arguments[3];
            out.entryTimeoutSeconds = 1000;
            out.attributesTimeoutSeconds = 1000;
            return null;
        };
        Before cachedAttributes = arguments -> {
            ((AttributesReply) arguments[3]).timeoutSeconds = 1000;
            return null;
        };
        try (MountedMemory mount = mounted(THREADS, Map.of("lookup", cachedName, "getattr", cachedAttributes))) {
            Path file = mount.directory().resolve("f");
            mount.shell("echo >f; stat f");
            Files.size(file);
            int before = lookups.get();
            assertThat(Files.size(file)).isEqualTo(1);
            assertThat(lookups).as("the name is cached").hasValue(before);
            assertThat(mount.binding().invalidateEntry(FuseOperations.ROOT_INODE, new byte[] {'f'}))
                    .isTrue();
            assertThat(Files.size(file)).isEqualTo(1);
            assertThat(lookups).as("the name was forgotten").hasValue(before + 1);
            long inode = (long) Files.getAttribute(file, "unix:ino");
            assertThat(mount.binding().invalidateInode(inode, 0, 0)).isTrue();
            assertThat(mount.binding().invalidateEntry(FuseOperations.ROOT_INODE, new byte[] {'g'}))
                    .isFalse();
        }
    }

    @Test
    void inUseIsSaidAndLazilyWorks() throws Exception {
        try (MountedMemory mount = mounted()) {
            mount.shell("echo x >f");
            Process user = mount.start("exec 3<f; echo there; read line; cat <&3");
            var said = user.inputReader(StandardCharsets.UTF_8);
            assertThat(said.readLine()).isEqualTo("there");
            assertThatThrownBy(() -> mount.binding().unmount(false))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("in use");
            mount.binding().unmount(true);
            assertThat(MountTable.find(mount.directory())).isEmpty();
            // Its user still has it, until it ends.
            user.getOutputStream().close();
            assertThat(said.readLine()).isEqualTo("x");
            assertThat(user.waitFor(10, TimeUnit.SECONDS)).isTrue();
            assertThat(mount.awaitEnd()).isTrue();
        }
    }

    @Test
    void anUnmountByOthersEndsTheMount() throws Exception {
        try (MountedMemory mount = mounted()) {
            Process umount = new ProcessBuilder("umount", mount.directory().toString()).start();
            assertThat(umount.waitFor()).isZero();
            assertThat(mount.awaitEnd()).isTrue();
        }
    }

    @Test
    void readOnlyIsSo(@TempDir Path directory) throws Exception {
        try (JnrBinding binding = new JnrBinding()) {
            binding.mount(
                    new MountParameters(directory, "memory", true, false, Set.of(), 1 << 17, 1 << 17, THREADS, false),
                    memory());
            Thread server = Thread.ofPlatform().daemon().start(() -> {
                try {
                    binding.run();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            try {
                assertThatThrownBy(() -> Files.createFile(directory.resolve("f")))
                        .isInstanceOf(FileSystemException.class)
                        .hasMessageContaining("Read-only");
            } finally {
                binding.unmount(true);
                server.join();
            }
        }
    }

    @Test
    void aMountPointThatIsNotThereIsRefused() {
        try (JnrBinding binding = new JnrBinding()) {
            assertThatThrownBy(() -> binding.mount(MountParameters.of(Path.of("/nowhere/at/all"), "memory"), memory()))
                    .isInstanceOf(IOException.class);
        }
    }
}
