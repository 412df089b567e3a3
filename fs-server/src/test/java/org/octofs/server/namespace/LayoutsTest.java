package org.octofs.server.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.server.session.ReplyEntryLayout;
import org.octofs.server.session.SessionHeaderLayout;
import org.octofs.server.store.PageKind;
import org.octofs.server.testing.TestServer;

/** Goal: the bytes on media are pinned. Method: sizes, alignment of atomic words, golden bytes. */
class LayoutsTest {
    @Test
    void slotsFillTheirPages() {
        assertThat(PageKind.slotBytes(PageKind.DENTRY_SMALL)).isEqualTo(DentryLayout.SMALL_SLOT_BYTES);
        assertThat(PageKind.slotBytes(PageKind.DENTRY_LARGE)).isEqualTo(DentryLayout.LARGE_SLOT_BYTES);
        assertThat(PageKind.slotCount(PageKind.DENTRY_SMALL)).isEqualTo(32);
        assertThat(PageKind.slotCount(PageKind.DENTRY_LARGE)).isEqualTo(12);
        assertThat(DentryLayout.NAME_OFFSET + DentryLayout.NAME_BYTES_MAX)
                .isLessThanOrEqualTo(DentryLayout.LARGE_SLOT_BYTES);
        assertThat(DentryLayout.SMALL_NAME_BYTES).isEqualTo(88);
        assertThat(SessionHeaderLayout.SIZE_BYTES).isEqualTo(64);
        assertThat(ReplyEntryLayout.SIZE_BYTES).isEqualTo(64);
        assertThat(SessionHeaderLayout.SESSION_BYTES).isEqualTo(4160);
    }

    @Test
    void wordsOfADentryAreAligned() {
        for (int offset : new int[] {
            DentryLayout.CHECKSUM_OFFSET,
            DentryLayout.PARENT_OFFSET,
            DentryLayout.COOKIE_OFFSET,
            DentryLayout.CHILD_OFFSET
        }) {
            assertThat(offset % Long.BYTES).isZero();
        }
        assertThat(DentryLayout.MAGIC_OFFSET)
                .as("in one word with the checksum")
                .isEqualTo(4);
    }

    @Test
    void bytesOfADentryArePinned() {
        try (TestServer world = TestServer.create()) {
            Name name = new Name();
            assertThat(name.set(new byte[] {'a', 'b'})).isEqualTo(Errno.OK);
            byte[] bytes = new byte[DentryLayout.LARGE_SLOT_BYTES];
            int length = world.server()
                    .state()
                    .dentries()
                    .image(1, 3, name, InodeNumber.of(2, 5), FileMode.DIRECTORY, MemorySegment.ofArray(bytes), 0);
            assertThat(HexFormat.of().formatHex(bytes, 4, length))
                    .isEqualTo("44454e54" + "0100000000000000" + "0300000000000000" + "0500000000000200" + "00400000"
                            + "0200" + "0000" + "6162");
            assertThat(HexFormat.of().formatHex(bytes, 0, 4)).isEqualTo("a9b1f42a");
        }
    }
}
