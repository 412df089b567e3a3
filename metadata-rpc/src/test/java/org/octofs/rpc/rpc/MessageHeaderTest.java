package org.octofs.rpc.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.octofs.rpc.protocol.MessageHeaderLayout;

/** The header's bytes are a format: they may not change by accident. */
class MessageHeaderTest {
    private static final String GOLDEN = "68000000" + "0201" + "0600" + "04030201" + "11000000" + "8877665544332211"
            + "0900000000000000" + "e8030000" + "000000000000000000000000000000000000000000000000" + "3cfd50ba";

    @Test
    void bytesAreGolden() {
        MemorySegment memory = Arena.ofAuto().allocate(MessageHeaderLayout.SIZE_BYTES, Long.BYTES);
        memory.fill((byte) 0xFF);
        MessageHeader header = new MessageHeader();
        header.lengthBytes = 104;
        header.opCode = 0x0102;
        header.flags = MessageHeaderLayout.FLAG_RESEND | MessageHeaderLayout.FLAG_ABANDONED;
        header.mapEpoch = 0x01020304;
        header.status = 17;
        header.clientId = 0x1122334455667788L;
        header.requestId = 9;
        header.timeLeftMillis = 1000;
        header.write(memory, 0);
        assertThat(HexFormat.of().formatHex(memory.toArray(ValueLayout.JAVA_BYTE)))
                .isEqualTo(GOLDEN);

        MessageHeader read = new MessageHeader();
        assertThat(read.read(memory, 0, 4096)).isNull();
        assertThat(read.lengthBytes).isEqualTo(104);
        assertThat(read.opCode).isEqualTo(0x0102);
        assertThat(read.flags).isEqualTo(6);
        assertThat(read.mapEpoch).isEqualTo(0x01020304);
        assertThat(read.status).isEqualTo(17);
        assertThat(read.clientId).isEqualTo(0x1122334455667788L);
        assertThat(read.requestId).isEqualTo(9);
        assertThat(read.timeLeftMillis).isEqualTo(1000);
    }

    @Test
    void sizesAndAlignment() {
        assertThat(MessageHeaderLayout.SIZE_BYTES).isEqualTo(64);
        assertThat(MessageHeaderLayout.CLIENT_ID_OFFSET % 8).isZero();
        assertThat(MessageHeaderLayout.REQUEST_ID_OFFSET % 8).isZero();
    }
}
