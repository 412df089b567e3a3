package org.octofs.rpc.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every access stays inside the window, and bytes lie in the order that the wire wants. */
class MessageBufferTest {
    private final MemorySegment memory = Arena.ofAuto().allocate(64);
    private final MessageBuffer buffer = new MessageBuffer().wrap(memory, 8, 16);

    @Test
    void fieldsAreLittleEndianAndUnsigned() {
        buffer.putU8(0, 0xFE);
        buffer.putU16(1, 0xFDFC);
        buffer.putU32(3, 0xFBFAF9F8L);
        buffer.putU64(7, 0x8807060504030201L);
        byte[] bytes = new byte[15];
        buffer.getBytes(0, bytes, 0, 15);
        assertThat(bytes).containsExactly(0xFE, 0xFC, 0xFD, 0xF8, 0xF9, 0xFA, 0xFB, 1, 2, 3, 4, 5, 6, 7, 0x88);
        assertThat(buffer.getU8(0)).isEqualTo(0xFE);
        assertThat(buffer.getU16(1)).isEqualTo(0xFDFC);
        assertThat(buffer.getU32(3)).isEqualTo(0xFBFAF9F8L);
        assertThat(buffer.getI32(3)).isEqualTo(0xFBFAF9F8);
        assertThat(buffer.getU64(7)).isEqualTo(0x8807060504030201L);
        assertThat(memory.get(ValueLayout.JAVA_BYTE, 8))
                .as("the window's start")
                .isEqualTo((byte) 0xFE);
    }

    @Test
    void nothingOutsideIsTouched() {
        byte[] bytes = new byte[32];
        MemorySegment segment = MemorySegment.ofArray(bytes);
        List<Runnable> outside = List.of(
                () -> buffer.getU8(16),
                () -> buffer.getU8(-1),
                () -> buffer.getU16(15),
                () -> buffer.getU32(13),
                () -> buffer.getI32(13),
                () -> buffer.getU64(9),
                () -> buffer.getU64(Integer.MAX_VALUE),
                () -> buffer.getU64(Integer.MIN_VALUE),
                () -> buffer.putU8(16, 1),
                () -> buffer.putU16(15, 1),
                () -> buffer.putU32(13, 1),
                () -> buffer.putU64(9, 1),
                () -> buffer.getBytes(0, bytes, 0, 17),
                () -> buffer.getBytes(16, bytes, 0, 1),
                () -> buffer.getBytes(4, bytes, 0, -1),
                () -> buffer.getBytes(4, segment, 0, 13),
                () -> buffer.putBytes(4, bytes, 0, 13),
                () -> buffer.putBytes(4, segment, 0, 13),
                () -> buffer.zero(8, 9),
                () -> buffer.zero(-1, 1));
        memory.fill((byte) 0x77);
        for (int i = 0; i < outside.size(); i++) {
            Runnable access = outside.get(i);
            assertThatThrownBy(access::run).as("access %d", i).isInstanceOf(ProtocolException.class);
        }
        for (int i = 0; i < 64; i++) {
            assertThat(memory.get(ValueLayout.JAVA_BYTE, i)).isEqualTo((byte) 0x77);
        }
    }

    @Test
    void windowsLieInsideTheirSegment() {
        assertThatThrownBy(() -> buffer.wrap(memory, 60, 5)).isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> buffer.wrap(memory, -1, 5)).isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> buffer.wrap(memory, 0, -5)).isInstanceOf(ProtocolException.class);
        assertThat(buffer.lengthBytes()).as("the old window stays").isEqualTo(16);
        buffer.clear();
        assertThatThrownBy(() -> buffer.getU8(0)).isInstanceOf(ProtocolException.class);
    }

    @Test
    void zeroFillsExactlyTheRange() {
        memory.fill((byte) 1);
        buffer.zero(1, 13);
        byte[] bytes = new byte[16];
        buffer.getBytes(0, bytes, 0, 16);
        assertThat(bytes).containsExactly(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1);
    }

    @Test
    void cursorsReadBackWhatWasWritten() {
        MessageWriter writer = new MessageWriter().reset(buffer, 0);
        int later = writer.u8(1).u16(2).reserve(1);
        writer.u32(3).u64(-4);
        buffer.putU8(later, 9);
        assertThat(writer.position()).isEqualTo(16);
        assertThatThrownBy(() -> writer.u8(1)).isInstanceOf(ProtocolException.class);
        MessageReader reader = new MessageReader().reset(buffer, 0);
        assertThat(reader.u8()).isEqualTo(1);
        assertThat(reader.u16()).isEqualTo(2);
        assertThat(buffer.getU8(reader.skip(1))).isEqualTo(9);
        assertThat(reader.u32()).isEqualTo(3);
        assertThat(reader.u64()).isEqualTo(-4);
        assertThat(reader.remainingBytes()).isZero();
        assertThatThrownBy(reader::u8).isInstanceOf(ProtocolException.class);
    }

    @Test
    void countsFromTheWireAreBoundedByTheMessage() {
        buffer.putU32(0, 3);
        assertThat(new MessageReader().reset(buffer, 0).countU32(4)).isEqualTo(3);
        buffer.putU32(0, 4);
        assertThatThrownBy(() -> new MessageReader().reset(buffer, 0).countU32(4))
                .isInstanceOf(ProtocolException.class);
        buffer.putU32(0, 0xFFFF_FFFFL);
        assertThatThrownBy(() -> new MessageReader().reset(buffer, 0).countU32(1))
                .isInstanceOf(ProtocolException.class);
    }
}
