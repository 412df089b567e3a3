package org.octofs.fuse.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.octofs.fuse.fuse.FuseBinding;
import org.octofs.fuse.fuse.FuseOperations;
import org.octofs.fuse.fuse.MountParameters;
import org.octofs.fuse.memory.MemoryFileSystem;

/** Goal: the first binding that can mount does, and the mount says why. Method: bindings that mount nothing. */
class FirstThatMountsTest {
    private static final MountParameters WHERE = MountParameters.of(Path.of("/m"), "name");

    private final List<String> done = new ArrayList<>();

    private FirstThatMounts of(FirstThatMounts.Candidate... candidates) {
        FuseOperations operations = new MemoryFileSystem(Clock.systemUTC(), 1 << 20);
        return new FirstThatMounts(List.of(candidates), candidate -> operations);
    }

    @Test
    void theFirstIsTakenIfItWorks() throws IOException {
        try (FirstThatMounts first = of(new Fake("a", null), new Fake("b", null))) {
            assertThat(first.mount(WHERE).name()).isEqualTo("a");
            assertThat(first.reason()).contains("default");
        }
        assertThat(done).containsExactly("mount a", "close a");
    }

    @Test
    void theNextOneIsTakenIfNotAndWhyIsSaid() throws IOException {
        try (FirstThatMounts first = of(new Fake("a", "too old"), new Fake("b", null))) {
            assertThat(first.mount(WHERE).name()).isEqualTo("b");
            assertThat(first.reason()).contains("binding a: too old");
        }
        assertThat(done).containsExactly("mount a", "mount b", "close b", "close a");
    }

    @Test
    void whatTheUserNamedIsNotReplaced() {
        try (FirstThatMounts first = of(new Fake("a", "too old"))) {
            assertThatThrownBy(() -> first.mount(WHERE))
                    .isInstanceOf(IOException.class)
                    .hasMessage("too old");
        }
    }

    @Test
    void allReasonsAreSaidIfNoneWorks() {
        try (FirstThatMounts first = of(new Fake("a", "too old"), new Fake("b", "no library"))) {
            assertThatThrownBy(() -> first.mount(WHERE))
                    .hasMessageContaining("/m")
                    .hasMessageContaining("binding a: too old")
                    .hasMessageContaining("binding b: no library");
        }
        assertThat(done).contains("close a", "close b");
    }

    /** {@code refusal}: why it cannot mount; null if it can. */
    private final class Fake implements FirstThatMounts.Candidate, FuseBinding {
        private final String name;
        private final String refusal;

        Fake(String name, String refusal) {
            this.name = name;
            this.refusal = refusal;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public FuseBinding create() {
            return this;
        }

        @Override
        public void mount(MountParameters parameters, FuseOperations operations) throws IOException {
            done.add("mount " + name);
            if (refusal != null) {
                throw new IOException(refusal);
            }
        }

        @Override
        public void run() {}

        @Override
        public void unmount(boolean lazily) {}

        @Override
        public boolean invalidateEntry(long parent, byte[] entry) {
            return false;
        }

        @Override
        public boolean expireEntry(long parent, byte[] name) {
            return false;
        }

        @Override
        public boolean invalidateInode(long inode, long offset, long length) {
            return false;
        }

        @Override
        public void close() {
            done.add("close " + name);
        }
    }
}
