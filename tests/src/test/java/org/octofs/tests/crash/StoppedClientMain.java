package org.octofs.tests.crash;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenFile;
import org.octofs.rpc.cluster.ClusterFile;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.protocol.InodeNumber;

/**
 * A client in a process of its own that overwrites a file without end, in blocks that are lent to it, by writing or by having nodes
 * copy another file; says {@link #WRITING} once it does and {@link #ENDED} when it is told that its session has ended.
 */
final class StoppedClientMain {
    static final String WRITING = "writing";
    static final String ENDED = "ended";

    /** As third argument: has nodes copy. */
    static final String COPIES = "copies";

    /** As third argument: writes. */
    static final String WRITES = "writes";

    static final byte ITS_BYTE = (byte) 0xBB;
    private static final int PIECE_BYTES = 1 << 20;
    private static final int PIECES = 8;

    private StoppedClientMain() {}

    @SuppressWarnings("SystemOut") // the test reads it
    public static void main(String[] arguments) throws IOException {
        ClientConfig config = ClientConfig.builder()
                .operationDeadline(Duration.ofSeconds(20))
                .transport(TransportChoice.valueOf(arguments[1]))
                .build();
        try (FsClient client = FsClient.connect(ClusterFile.read(Path.of(arguments[0])), config);
                Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(PIECE_BYTES);
            bytes.fill(ITS_BYTE);
            byte[] name = ("its-" + ProcessHandle.current().pid()).getBytes(StandardCharsets.UTF_8);
            OpenFile file = client.create(InodeNumber.ROOT, name, 0x1A4, 0, 0, 0, new Attributes());
            if (arguments[2].equals(COPIES)) {
                copy(client, file, bytes);
            }
            for (long i = 0; ; i++) {
                client.write(file, i % PIECES * PIECE_BYTES, bytes, 0, PIECE_BYTES);
                if (i == PIECES) {
                    System.out.println(WRITING);
                }
            }
        } catch (FsException e) {
            System.out.println(ENDED + ": " + e.getMessage());
            // Not through the client's close, which would try to commit.
            Runtime.getRuntime().halt(0);
        }
    }

    @SuppressWarnings("SystemOut")
    private static void copy(FsClient client, OpenFile file, MemorySegment bytes) throws FsException {
        byte[] name = ("source-" + ProcessHandle.current().pid()).getBytes(StandardCharsets.UTF_8);
        OpenFile source = client.create(InodeNumber.ROOT, name, 0x1A4, 0, 0, 0, new Attributes());
        for (long i = 0; i < PIECES; i++) {
            client.write(source, i * PIECE_BYTES, bytes, 0, PIECE_BYTES);
        }
        client.fsync(source, false);
        for (long i = 0; ; i++) {
            long at = i % PIECES * PIECE_BYTES;
            client.copy(source, at, file, at, PIECE_BYTES);
            if (i % PIECES == PIECES - 1) {
                client.fsync(file, false); // what is pending is copied over by the client itself
            }
            if (i == PIECES) {
                System.out.println(WRITING);
            }
        }
    }
}
