package org.octofs.rpc.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.octofs.rpc.fabric.handshake.FrameLayout;
import org.octofs.rpc.fabric.handshake.FrameType;
import org.octofs.rpc.fabric.ring.ArrivalRingLayout;
import org.octofs.rpc.fabric.transport.ConnectionPageLayout;

/** docs/wire.md says what the layout classes say. */
final class WireDocumentTest {
    private static String section(String title) throws Exception {
        String whole = Files.readString(Path.of(System.getProperty("octofs.root"), "docs", "wire.md"));
        int start = whole.indexOf("## " + title);
        assertThat(start).as(title).isNotNegative();
        int end = whole.indexOf("\n## ", start);
        return end < 0 ? whole.substring(start) : whole.substring(start, end);
    }

    private static void assertOffsets(String title, Map<String, Integer> offsets) throws Exception {
        String section = section(title);
        offsets.forEach((name, offset) -> assertThat(section).contains("| " + name + " | " + offset + " |"));
    }

    @Test
    void handshake() throws Exception {
        assertOffsets(
                "Handshake",
                Map.of(
                        "magic", FrameLayout.MAGIC_OFFSET,
                        "version", FrameLayout.VERSION_OFFSET,
                        "type", FrameLayout.TYPE_OFFSET,
                        "body bytes", FrameLayout.BODY_BYTES_OFFSET,
                        "checksum", FrameLayout.CHECKSUM_OFFSET,
                        "body", FrameLayout.HEADER_BYTES));
        String section = section("Handshake");
        assertThat(section).contains("| u32 | at most " + FrameLayout.BODY_BYTES_MAX + " |");
        for (FrameType type : FrameType.values()) {
            assertThat(section).contains(type.code + " " + type.name());
        }
    }

    @Test
    void connectionPage() throws Exception {
        assertOffsets(
                "Connection page",
                Map.of(
                        "magic", ConnectionPageLayout.MAGIC_OFFSET,
                        "version", ConnectionPageLayout.VERSION_OFFSET,
                        "region count", ConnectionPageLayout.REGION_COUNT_OFFSET,
                        "token", ConnectionPageLayout.TOKEN_OFFSET,
                        "state", ConnectionPageLayout.STATE_OFFSET,
                        "activity", ConnectionPageLayout.ACTIVITY_OFFSET,
                        "grants", ConnectionPageLayout.GRANTS_OFFSET));
        assertThat(section("Connection page"))
                .contains(ConnectionPageLayout.ACTIVITY_COUNT + " × u64")
                .contains(ConnectionPageLayout.REGION_COUNT + " × u64");
    }

    @Test
    void arrivalRing() throws Exception {
        assertOffsets(
                "Arrival ring",
                Map.of(
                        "magic", ArrivalRingLayout.MAGIC_OFFSET,
                        "version", ArrivalRingLayout.VERSION_OFFSET,
                        "entry count", ArrivalRingLayout.ENTRY_COUNT_OFFSET,
                        "tail", ArrivalRingLayout.TAIL_OFFSET,
                        "head", ArrivalRingLayout.HEAD_OFFSET,
                        "sleeping", ArrivalRingLayout.SLEEPING_OFFSET,
                        "wake count", ArrivalRingLayout.WAKE_COUNT_OFFSET,
                        "entries", ArrivalRingLayout.ENTRIES_OFFSET));
    }
}
