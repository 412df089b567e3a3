package org.octofs.pmem.medium;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a DAX device is known, by a directory like the kernel's; a device itself is there in tests/vm only. */
class DaxDeviceTest {
    /** A character device that every machine has: number 1:5. */
    private static final Path DEVICE = Path.of("/dev/zero");

    @TempDir
    private Path devices;

    private void describe(String subsystem, String size) throws IOException {
        Path entry = Files.createDirectories(devices.resolve("1:5"));
        Path target = Files.createDirectories(devices.resolve("bus").resolve(subsystem));
        Files.createSymbolicLink(entry.resolve("subsystem"), target);
        Files.writeString(entry.resolve("size"), size + "\n");
    }

    @Test
    void deviceOfTheDaxSubsystemHasTheKernelsSize() throws IOException {
        describe("dax", "532676608");
        assertThat(DaxDevice.is(DEVICE, devices)).isTrue();
        assertThat(DaxDevice.sizeBytes(DEVICE, devices)).isEqualTo(532_676_608);
    }

    @Test
    void otherDevicesFilesAndNothingAreNone() throws IOException {
        describe("mem", "1");
        assertThat(DaxDevice.is(DEVICE, devices)).isFalse();
        assertThat(DaxDevice.is(devices)).isFalse();
        assertThat(DaxDevice.is(devices.resolve("nothing"))).isFalse();
        assertThat(DaxDevice.is(DEVICE)).isFalse();
        assertThatThrownBy(() -> PoolFile.open(DEVICE, OpenMode.SERVE)).hasMessageContaining("not a DAX device");
    }

    @Test
    void sizeThatIsNoNumberIsRefused() throws IOException {
        describe("dax", "many");
        assertThatThrownBy(() -> DaxDevice.sizeBytes(DEVICE, devices))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("many");
    }
}
