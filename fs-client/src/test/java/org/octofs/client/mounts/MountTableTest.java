package org.octofs.client.mounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MountTableTest {

    @Test
    void linesAreParsedWithAndWithoutOptionalFields() {
        List<MountTable.Entry> entries = MountTable.parse("""
                22 1 8:1 / / rw,relatime shared:1 master:2 - ext4 /dev/sda1 rw
                40 22 0:40 / /mnt/a\\040b\\134c rw,nosuid - fuse.octofs my\\040cluster rw,user_id=0
                cut off
                """);
        assertThat(entries)
                .containsExactly(
                        new MountTable.Entry("8:1", "/", Path.of("/"), "ext4", "/dev/sda1"),
                        new MountTable.Entry(
                                "0:40", "/mnt/a\\040b\\134c", Path.of("/mnt/a b\\c"), "fuse.octofs", "my cluster"));
        assertThat(entries.get(1).isOctoFs()).isTrue();
        assertThat(entries.get(0).isOctoFs()).isFalse();
    }

    @Test
    void theRootIsMounted() throws IOException {
        assertThat(MountTable.find(Path.of("/"))).isPresent();
    }

    @Test
    void whatIsNotMountedCannotBeUnmounted(@TempDir Path directory) throws IOException {
        assertThat(MountTable.find(directory)).isEmpty();
        assertThatThrownBy(() -> MountTable.unmount(directory, false))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not mounted");
    }
}
