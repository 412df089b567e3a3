package org.octofs.rpc.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.octofs.rpc.protocol.ProtocolException;

/** Goal: the hello's bytes are pinned, and other bytes are refused. Method: golden bytes, and one change each. */
class ClusterHelloTest {
    private static final UUID ID = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");

    @Test
    void bytesArePinned() {
        assertThat(HexFormat.of().formatHex(ClusterHello.server(3, 7, ID).encode()))
                .isEqualTo("4f43484c" + "0300" + "0100" + "03000000" + "00000000" + "0700000000000000"
                        + "00112233445566778899aabbccddeeff");
    }

    @Test
    void decodesWhatItEncodes() {
        ClusterHello hello = ClusterHello.client(ID);
        assertThat(ClusterHello.decode(hello.encode())).isEqualTo(hello);
    }

    @Test
    void refusesOtherBytes() {
        byte[] other = ClusterHello.client(ID).encode();
        other[4] = 1;
        assertThatThrownBy(() -> ClusterHello.decode(other))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("same release");
        assertThatThrownBy(() -> ClusterHello.decode(new byte[0])).isInstanceOf(ProtocolException.class);
    }
}
