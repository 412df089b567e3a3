package org.octofs.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.octofs.client.client.ClientConfig;
import org.octofs.rpc.cluster.ClusterFile;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.tests.support.LocalCluster;

/** The provider for java.nio.file, used as a program would. */
class NioTest {
    @TempDir
    private Path temporary;

    private LocalCluster cluster;
    private Fabric fabric;
    private FileSystem fileSystem;
    private URI uri;

    @BeforeEach
    void open() throws IOException {
        cluster = LocalCluster.start(2, LocalCluster.Transport.LOOPBACK);
        Path file = temporary.resolve("cluster.properties");
        ClusterFile.write(file, cluster.map());
        uri = URI.create("octofs://" + file + "!/");
        fabric = cluster.createFabric("nio");
        ClientConfig config = ClientConfig.builder()
                .fabric(fabric)
                .transport(cluster.choice())
                .build();
        fileSystem = FileSystems.newFileSystem(uri, Map.of("config", config, "uid", 5, "gid", 6));
    }

    @AfterEach
    void close() throws IOException {
        fileSystem.close();
        fabric.close();
        cluster.close();
    }

    private Path path(String text) {
        return fileSystem.getPath(text);
    }

    @Test
    void pathsComeFromUrisAndGoBack() throws Exception {
        Path file = path("/a b/c");
        assertThat(Path.of(file.toUri())).isEqualTo(file);
        assertThat(path("/a/../b/./c").normalize()).isEqualTo(path("/b/c"));
        assertThat(path("/a/b").relativize(path("/a/c/d"))).isEqualTo(path("../c/d"));
        assertThat(path("/a").resolve("b")).isEqualTo(path("/a/b"));
        assertThat(path("/a/b").getParent()).isEqualTo(path("/a"));
        assertThat(path("/").getFileName()).isNull();
    }

    @Test
    void textIsWrittenAndRead() throws Exception {
        Files.writeString(path("/hello"), "Grüße");
        Files.writeString(path("/hello"), " und mehr", StandardOpenOption.APPEND);

        assertThat(Files.readString(path("/hello"))).isEqualTo("Grüße und mehr");
        assertThat(Files.size(path("/hello"))).isEqualTo("Grüße und mehr".getBytes(StandardCharsets.UTF_8).length);
        assertThatThrownBy(() -> Files.readString(path("/nothing"))).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> Files.createFile(path("/hello"))).isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void channelsSeekAndTruncate() throws Exception {
        byte[] data = new byte[3_000_000];
        new Random(1).nextBytes(data);
        try (SeekableByteChannel channel = Files.newByteChannel(
                path("/data"), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(data));
            channel.position(1_000_001);
            ByteBuffer direct = ByteBuffer.allocateDirect(500);
            channel.read(direct);
            byte[] got = new byte[500];
            direct.flip().get(got);
            assertThat(got).isEqualTo(java.util.Arrays.copyOfRange(data, 1_000_001, 1_000_501));
            channel.truncate(2_000_000);
            assertThat(channel.size()).isEqualTo(2_000_000);
        }
        assertThat(Files.readAllBytes(path("/data"))).isEqualTo(java.util.Arrays.copyOf(data, 2_000_000));
    }

    @Test
    void treesAreWalkedAndDeleted() throws Exception {
        Files.createDirectories(path("/a/b/c"));
        for (int i = 0; i < 1000; i++) {
            Files.createFile(path("/a/b/f" + i));
        }
        try (Stream<Path> walk = Files.walk(path("/a"))) {
            assertThat(walk.toList()).hasSize(1003).contains(path("/a/b/c"), path("/a/b/f999"));
        }
        try (DirectoryStream<Path> some = Files.newDirectoryStream(path("/a/b"), "f99*")) {
            assertThat(some).hasSize(11);
        }
        assertThatThrownBy(() -> Files.delete(path("/a/b"))).isInstanceOf(DirectoryNotEmptyException.class);
        Files.delete(path("/a/b/c"));
        assertThat(Files.exists(path("/a/b/c"))).isFalse();
    }

    @Test
    void filesAreCopiedAndMoved() throws Exception {
        Files.writeString(path("/a"), "one");
        Files.writeString(path("/b"), "two");
        Files.createDirectory(path("/d"));
        assertThatThrownBy(() -> Files.copy(path("/a"), path("/b"))).isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(() -> Files.move(path("/a"), path("/b"))).isInstanceOf(FileAlreadyExistsException.class);

        Files.copy(path("/a"), path("/d/a"), StandardCopyOption.COPY_ATTRIBUTES);
        Files.move(path("/a"), path("/b"), StandardCopyOption.REPLACE_EXISTING);

        assertThat(Files.readString(path("/d/a"))).isEqualTo("one");
        assertThat(Files.readString(path("/b"))).isEqualTo("one");
        assertThat(Files.exists(path("/a"))).isFalse();
        Files.copy(path("/b"), temporary.resolve("out"));
        assertThat(Files.readString(temporary.resolve("out"))).isEqualTo("one");
    }

    @Test
    void linksAreFollowedOrNot() throws Exception {
        Files.createDirectories(path("/d/e"));
        Files.writeString(path("/d/e/f"), "x");
        Files.createSymbolicLink(path("/up"), path("d/e"));
        Files.createSymbolicLink(path("/d/back"), path("../up/f"));
        Files.createLink(path("/hard"), path("/d/e/f"));

        assertThat(Files.readString(path("/up/f"))).isEqualTo("x");
        assertThat(Files.readString(path("/d/back"))).isEqualTo("x");
        assertThat(path("/d/back").toRealPath()).isEqualTo(path("/d/e/f"));
        assertThat(Files.readSymbolicLink(path("/up"))).isEqualTo(path("d/e"));
        assertThat(Files.isSymbolicLink(path("/up"))).isTrue();
        assertThat(Files.isDirectory(path("/up"))).isTrue();
        assertThat(Files.isDirectory(path("/up"), LinkOption.NOFOLLOW_LINKS)).isFalse();
        assertThat(Files.isSameFile(path("/hard"), path("/up/f"))).isTrue();
        assertThatThrownBy(() -> Files.readSymbolicLink(path("/hard"))).isInstanceOf(NotLinkException.class);
        assertThat(Files.getAttribute(path("/hard"), "unix:nlink")).isEqualTo(2);
    }

    @Test
    void attributesAreSetAndRead() throws Exception {
        Path file = path("/a");
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----")));
        FileTime time = FileTime.from(Instant.parse("2001-02-03T04:05:06.123456789Z"));

        Files.setLastModifiedTime(file, time);
        Files.setAttribute(file, "unix:uid", 42);

        assertThat(Files.getLastModifiedTime(file)).isEqualTo(time);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-r-----");
        assertThat(Files.getOwner(file).getName()).isEqualTo("42");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(Files.getAttribute(file, "unix:mode")).isEqualTo(0100755);
        assertThat(Files.readAttributes(file, "posix:owner,size").keySet())
                .isEqualTo(java.util.Set.of("owner", "size"));
    }

    @Test
    void namesKeepBytesThatAreNoText() throws Exception {
        Path odd = path("/\uDCFFodd\uDC80");
        Files.createFile(odd);
        try (DirectoryStream<Path> all = Files.newDirectoryStream(path("/"))) {
            assertThat(List.copyOf(java.util.stream.StreamSupport.stream(all.spliterator(), false)
                            .toList()))
                    .containsExactly(odd);
        }
        Files.delete(odd);
    }

    @Test
    void theStoreTellsItsSpace() throws Exception {
        long total = Files.getFileStore(path("/")).getTotalSpace();
        assertThat(total).isGreaterThan(100L << 20);
        assertThat(Files.getFileStore(path("/")).getUsableSpace()).isBetween(1L, total);
    }
}
