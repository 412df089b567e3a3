package org.octofs.fuse.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.octofs.fuse.fuse.MountParameters;

/** What is agreed on with kernels of several ages, byte by byte. */
class KernelSessionTest {
    private static final MountParameters WANTED = MountParameters.of(Path.of("/"), "test");

    private static String answer(String offer) throws IOException {
        return answer(offer, false);
    }

    private static String answer(String offer, boolean listsWithAttributes) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment in =
                    arena.allocateFrom(ValueLayout.JAVA_BYTE, HexFormat.of().parseHex(offer.replace(" ", "")));
            MemorySegment out = arena.allocate(KernelLayouts.InitOut.SIZE_BYTES);
            KernelSession.negotiate(in, 0, out, 0, WANTED, listsWithAttributes);
            return HexFormat.ofDelimiter(" ")
                    .formatHex(out.toArray(ValueLayout.JAVA_BYTE))
                    .replaceAll("((?:.. ){3}..) ", "$1  ");
        }
    }

    /** Linux 6.18: flags above bit 31, which 7.36 brought. */
    @Test
    void theNewestKernelGetsAllThatIsKnown() throws Exception {
        assertThat(answer("07000000 2d000000 00000200 fbffff73 fd050000"))
                .isEqualTo("07 00 00 00  28 00 00 00  00 00 02 00  7b 84 54 70  40 00 30 00  00 00 10 00  01 00 00 00  "
                        + "00 01 00 00  10 00 00 00  00 00 00 00  00 00 00 00  00 00 00 00  00 00 00 00  00 00 00 00  "
                        + "00 00 00 00  00 00 00 00");
    }

    /** Linux 5.4: no flags beyond 32 bits, and none of those that came later. */
    @Test
    void theOldestGetsWhatItHas() throws Exception {
        assertThat(answer("07000000 1f000000 00000200 fbffff00"))
                .startsWith("07 00 00 00  28 00 00 00  00 00 02 00  7b 84 54 00  40 00 30 00  00 00 10 00")
                .endsWith("00 01 00 00  00 00 00 00  00 00 00 00  00 00 00 00  00 00 00 00  00 00 00 00  00 00 00 00  "
                        + "00 00 00 00  00 00 00 00");
    }

    @Test
    void listingsWithAttributesAreAskedForWhereTheFileSystemHasThem() throws Exception {
        assertThat(answer("07000000 1f000000 00000200 fbffff00", true))
                .startsWith("07 00 00 00  28 00 00 00  00 00 02 00  7b e4 54 00");
    }

    @Test
    void anOlderOneIsRefusedWithWhatToDo() {
        assertThatThrownBy(() -> answer("07000000 1e000000 00000200 fbffff00"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("7.30")
                .hasMessageContaining("binding=jnr");
    }

    @Test
    void valuesKeepTheirSizeWhereTransfersAreSmall() throws Exception {
        RecordingOperations recording = new RecordingOperations();
        byte[] request = setxattr(NodeRequests.XATTR_BYTES_MAX);
        try (ServedRequests served =
                new ServedRequests(recording.operations(), ServedRequests.negotiated(KernelSession.MINOR, -1, 4096))) {
            assertThat(served.serve(request)).hasSize(1);
            assertThat(recording.take()).startsWith("setxattr").hasSizeGreaterThan(NodeRequests.XATTR_BYTES_MAX);
        }
    }

    private static byte[] setxattr(int valueBytes) {
        int fixed = KernelLayouts.InHeader.SIZE_BYTES + KernelLayouts.SetxattrIn.SIZE_BYTES;
        byte[] name = {'u', 's', 'e', 'r', '.', 'a', 0};
        byte[] request = new byte[fixed + name.length + valueBytes];
        MemorySegment fields = MemorySegment.ofArray(request);
        Native.putInt(fields, KernelLayouts.InHeader.LENGTH_OFFSET, request.length);
        Native.putInt(fields, KernelLayouts.InHeader.OPCODE_OFFSET, KernelOpcode.SETXATTR);
        Native.putInt(fields, KernelLayouts.InHeader.SIZE_BYTES, valueBytes);
        System.arraycopy(name, 0, request, fixed, name.length);
        return request;
    }
}
