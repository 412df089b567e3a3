package org.octofs.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.octofs.tests.conformance.NamespaceTest.name;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.client.client.AttributeChange;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientCounter;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenDirectory;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.tests.support.LocalCluster;

/** Listings with attributes: the right ones, many at once, and the look-ups after them cost no round trip but are fresh. */
@Timeout(60)
class ListingWithAttributesTest {
    private static final int FILES = 1000;
    private static final long NONE = -1;

    private LocalCluster cluster;
    private FsClient client;
    private FsClient other;
    private final Attributes out = new Attributes();
    private long directory;

    @BeforeEach
    void start() throws IOException {
        cluster = LocalCluster.start(2, LocalCluster.Transport.LOOPBACK);
        client = cluster.client();
        other = cluster.client();
        client.mkdir(1, name("directory"), 0755, 0, 0, 0, out);
        directory = out.ino();
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private void makeFiles(FsClient by, int count) throws FsException {
        for (int i = 0; i < count; i++) {
            by.release(
                    by.create(directory, name("file-" + i), 0600 | i % 8, 0, i, i, OpenFlags.RDWR, new Attributes()));
        }
    }

    /** Names, each with the owner that came with it; NONE if no attributes came. */
    private Map<String, Long> list(FsClient by) throws FsException {
        OpenDirectory open = by.openDirectory(directory);
        Map<String, Long> found = new LinkedHashMap<>();
        long[] cookie = new long[1];
        for (int before = -1; before < found.size(); ) {
            before = found.size();
            by.readDirectoryWithAttributes(open, cookie[0], 200, (ino, type, names, at, length, next, attributes) -> {
                cookie[0] = next;
                String text =
                        new String(names.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
                assertThat(attributes == null || attributes.ino() == ino).isTrue();
                assertThat(found.put(text, attributes == null ? NONE : attributes.uid()))
                        .as(text)
                        .isNull();
                return true;
            });
        }
        by.releaseDirectory(open);
        return found;
    }

    private static long calls(FsClient by) {
        return by.counters().get(ClientCounter.DENTRY_MISSES) + by.counters().get(ClientCounter.ATTRIBUTE_MISSES);
    }

    @Test
    void allAreThereOnceWithTheirAttributes() throws Exception {
        makeFiles(other, FILES);
        Map<String, Long> found = list(client);
        assertThat(found).hasSize(FILES);
        for (int i = 0; i < FILES; i++) {
            assertThat(found).containsEntry("file-" + i, (long) i);
        }
    }

    @Test
    void lookUpsAfterItCostNoRoundTripAndSeeWhatOthersChange() throws Exception {
        makeFiles(other, FILES);
        list(client);
        long before = calls(client);
        for (int i = 0; i < FILES; i++) {
            client.lookup(directory, name("file-" + i), out);
            assertThat(out.uid()).isEqualTo(i);
        }
        assertThat(calls(client)).isEqualTo(before);
        long first = lookup(client, "file-0");
        other.setAttributes(first, new AttributeChange().uid(4711), new Attributes());
        client.lookup(directory, name("file-0"), out);
        assertThat(out.uid()).isEqualTo(4711);
        other.rename(directory, name("file-1"), directory, name("file-0"), 0);
        client.lookup(directory, name("file-0"), out);
        assertThat(out.uid()).isEqualTo(1);
    }

    private static long lookup(FsClient by, String name) throws FsException {
        Attributes found = new Attributes();
        by.lookup(1, name("directory"), found);
        by.lookup(found.ino(), name(name), found);
        return found.ino();
    }

    @Test
    void whatThisClientHasNotCommittedYetIsInIt() throws Exception {
        OpenFile file = client.create(directory, name("file"), 0644, 0, 0, 0, OpenFlags.RDWR, out);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = arena.allocate(100);
            client.write(file, 0, data, 0, 100);
        }
        OpenDirectory open = client.openDirectory(directory);
        long[] size = {NONE};
        client.readDirectoryWithAttributes(open, 0, 10, (_, _, _, _, _, _, attributes) -> {
            // Attributes that are older than what this client knows are left out; wrong ones may not come.
            size[0] = attributes == null ? 100 : attributes.sizeBytes();
            return true;
        });
        assertThat(size[0]).isEqualTo(100);
        client.release(file);
    }

    @Test
    void directoriesOfAnotherHomeComeWithoutAttributes() throws Exception {
        int without = 0;
        for (int i = 0; i < 16; i++) {
            other.mkdir(directory, name("directory-" + i), 0755, 0, 5, 5, out);
            boolean here = InodeNumber.shard(out.ino()) % 2 == InodeNumber.shard(directory) % 2;
            without += here ? 0 : 1;
        }
        Map<String, Long> found = list(client);
        assertThat(found).hasSize(16);
        assertThat(found.values().stream().filter(uid -> uid == NONE)).hasSize(without);
        assertThat(found.values().stream().filter(uid -> uid == 5)).hasSize(16 - without);
    }
}
