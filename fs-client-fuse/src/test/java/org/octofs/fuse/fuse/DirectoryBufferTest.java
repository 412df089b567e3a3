package org.octofs.fuse.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class DirectoryBufferTest {
    private static final int REGULAR = 0x8000;
    private final MemorySegment memory = Arena.ofAuto().allocate(4096, 8);
    private final DirectoryBuffer buffer = new DirectoryBuffer();

    @Test
    void anEntryHasTheKernelsBytes() {
        assertThat(ByteOrder.nativeOrder()).as("the picture is little-endian").isEqualTo(ByteOrder.LITTLE_ENDIAN);
        memory.fill((byte) 0xEE);
        buffer.reset(memory, 4096);
        assertThat(buffer.add(0x0102030405060708L, REGULAR | 0644, new byte[] {'a', 'b', 'c'}, 9))
                .isTrue();
        assertThat(buffer.sizeBytes()).isEqualTo(32);
        assertThat(HexFormat.of().formatHex(memory.asSlice(0, 32).toArray(ValueLayout.JAVA_BYTE)))
                .isEqualTo("0807060504030201" + "0900000000000000" + "03000000" + "08000000" + "6162630000000000");
    }

    @Test
    void aNameThatFillsTheLastWordIsNotCut() {
        buffer.reset(memory, 4096);
        assertThat(buffer.add(1, REGULAR, "12345678".getBytes(java.nio.charset.StandardCharsets.US_ASCII), 1))
                .isTrue();
        assertThat(buffer.sizeBytes()).isEqualTo(32);
        assertThat(memory.get(ValueLayout.JAVA_BYTE, 31)).isEqualTo((byte) '8');
    }

    @Test
    void whatDoesNotFitIsNotTaken() {
        byte[] name = {'x'};
        buffer.reset(memory, 64);
        assertThat(buffer.add(1, REGULAR, name, 1)).isTrue();
        assertThat(buffer.add(2, REGULAR, name, 2)).isTrue();
        assertThat(buffer.add(3, REGULAR, name, 3)).isFalse();
        assertThat(buffer.sizeBytes()).isEqualTo(64);
        buffer.reset(memory, 31);
        assertThat(buffer.add(1, REGULAR, name, 1)).isFalse();
    }
}
