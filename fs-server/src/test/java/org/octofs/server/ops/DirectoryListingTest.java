package org.octofs.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.ReadDirectoryReply;
import org.octofs.rpc.protocol.message.ReadDirectoryRequest;
import org.octofs.server.testing.TestClient;
import org.octofs.server.testing.TestServer;

/** Goal: listings are complete and stable under changes, and survive a restart. Method: calls with small answers. */
class DirectoryListingTest {
    private static final long ROOT = InodeNumber.ROOT;

    private final TestServer world = TestServer.create();
    private final TestClient client = world.connect(11);

    @AfterEach
    void close() {
        world.close();
    }

    private List<String> names(int count) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            names.add("name-" + "x".repeat(i % 120) + i);
        }
        return names;
    }

    @Test
    void manyEntriesInPieces() {
        List<String> names = names(300);
        names.forEach(name -> client.newFile(ROOT, name));
        assertThat(client.list(ROOT, 1)).isEqualTo(names);
        assertThat(client.list(ROOT, 1000)).isEqualTo(names);
        assertThat(client.list(ROOT, Integer.MAX_VALUE)).isEqualTo(names);
        world.restart();
        assertThat(client.list(ROOT, 1000)).isEqualTo(names);
    }

    @Test
    void removalWhileListingSkipsNothing() {
        List<String> names = names(100);
        names.forEach(name -> client.newFile(ROOT, name));
        List<String> seen = new ArrayList<>();
        long cookie = 0;
        while (true) {
            long from = cookie;
            client.call(OpCode.READDIR, body -> {
                new ReadDirectoryRequest()
                        .wrap(body)
                        .ino(ROOT)
                        .cookie(from)
                        .maxBytes(1)
                        .flags(0);
                return ReadDirectoryRequest.FIXED_BYTES;
            });
            ReadDirectoryReply listing = new ReadDirectoryReply().wrap(client.reply());
            if (listing.entryCount() == 0) {
                break;
            }
            int at = ReadDirectoryReply.FIXED_BYTES;
            List<String> batch = new ArrayList<>();
            for (int i = 0; i < listing.entryCount(); i++) {
                int length = (int) client.reply().getU32(at + 20);
                byte[] name = new byte[length];
                client.reply().getBytes(at + 24, name, 0, length);
                batch.add(new String(name, StandardCharsets.UTF_8));
                cookie = client.reply().getU64(at + 8);
                at += 24 + (length + 7 & ~7);
            }
            seen.addAll(batch);
            batch.forEach(name -> assertThat(client.unlink(ROOT, name)).isEqualTo(Errno.OK));
        }
        assertThat(seen).isEqualTo(names);
        assertThat(client.list(ROOT, 4096)).isEmpty();
    }

    @Test
    void answersParentAndErrors() {
        long directory = client.newDirectory(ROOT, "d");
        client.call(OpCode.READDIR, body -> {
            new ReadDirectoryRequest()
                    .wrap(body)
                    .ino(directory)
                    .cookie(0)
                    .maxBytes(4096)
                    .flags(0);
            return ReadDirectoryRequest.FIXED_BYTES;
        });
        assertThat(new ReadDirectoryReply().wrap(client.reply()).parentIno()).isEqualTo(ROOT);
        long file = client.newFile(ROOT, "f");
        assertThat(client.call(OpCode.READDIR, body -> {
                    new ReadDirectoryRequest()
                            .wrap(body)
                            .ino(file)
                            .cookie(0)
                            .maxBytes(4096)
                            .flags(0);
                    return ReadDirectoryRequest.FIXED_BYTES;
                }))
                .isEqualTo(Errno.ENOTDIR);
    }
}
