package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Two mounts, that is two client processes, of one file system of two nodes: what one does the other sees, and when; by each binding. */
@ParameterizedClass
@ValueSource(strings = {"kernel", "jnr"})
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TwoMountsTest extends OnTwoMounts {
    /** The same folder, through each mount. */
    private Path first;

    private Path second;

    @BeforeEach
    void folder(TestInfo test) throws IOException {
        String name = test.getTestMethod().orElseThrow().getName();
        first = Files.createDirectory(cluster.mount().resolve(name));
        second = cluster.mount2().resolve(name);
    }

    @Test
    void whatIsClosedIsSeenByTheNextOpen() throws IOException {
        Random random = new Random(5);
        byte[] model = {};
        for (int round = 0; round < 40; round++) {
            Path writer = (round % 2 == 0 ? first : second).resolve("file");
            Path reader = (round % 2 == 0 ? second : first).resolve("file");
            byte[] bytes = new byte[random.nextInt(200_000)];
            random.nextBytes(bytes);
            switch (round % 5) {
                case 0 -> {
                    Files.write(writer, bytes);
                    model = bytes;
                }
                case 1 -> {
                    Files.write(writer, bytes, StandardOpenOption.APPEND);
                    int old = model.length;
                    model = Arrays.copyOf(model, old + bytes.length);
                    System.arraycopy(bytes, 0, model, old, bytes.length);
                }
                case 2 -> {
                    int at = random.nextInt(model.length + 1);
                    try (FileChannel channel = FileChannel.open(writer, StandardOpenOption.WRITE)) {
                        channel.write(ByteBuffer.wrap(bytes), at);
                    }
                    model = Arrays.copyOf(model, Math.max(model.length, at + bytes.length));
                    System.arraycopy(bytes, 0, model, at, bytes.length);
                }
                case 3 -> {
                    int size = random.nextInt(model.length + 1);
                    try (FileChannel channel = FileChannel.open(writer, StandardOpenOption.WRITE)) {
                        channel.truncate(size);
                    }
                    model = Arrays.copyOf(model, size);
                }
                default -> {
                    Path fresh = writer.resolveSibling("fresh");
                    Files.write(fresh, bytes);
                    Files.move(fresh, writer, StandardCopyOption.ATOMIC_MOVE);
                    model = bytes;
                }
            }
            assertThat(Files.size(reader)).as("size, round %s", round).isEqualTo(model.length);
            assertThat(Files.readAllBytes(reader)).as("round %s", round).isEqualTo(model);
        }
    }

    @Test
    void fsyncIsEnoughForAnotherMountsOpen() throws IOException {
        try (FileChannel channel =
                FileChannel.open(first.resolve("file"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (String part : List.of("one", "two", "three")) {
                channel.write(ByteBuffer.wrap(part.getBytes(StandardCharsets.UTF_8)));
                channel.force(false);
                assertThat(Files.readString(second.resolve("file"))).endsWith(part);
            }
        }
        assertThat(second.resolve("file")).hasContent("onetwothree");
    }

    @Test
    void namesAreSeenAtOnce() throws IOException {
        for (int round = 0; round < 20; round++) {
            Path a = round % 2 == 0 ? first : second;
            Path b = round % 2 == 0 ? second : first;
            // Whatever b remembers of the failed look-up must not outlive a's call.
            assertThat(Files.exists(b.resolve("file"))).isFalse();
            Files.writeString(a.resolve("file"), "x");
            assertThat(b.resolve("file")).hasContent("x");
            assertThat(names(b)).containsExactly("file");
            Files.move(a.resolve("file"), a.resolve("moved"));
            assertThat(Files.exists(b.resolve("file"))).isFalse();
            assertThat(b.resolve("moved")).hasContent("x");
            Files.createLink(a.resolve("link"), a.resolve("moved"));
            assertThat(Files.getAttribute(b.resolve("moved"), "unix:nlink")).isEqualTo(2);
            assertThat(names(b)).containsExactly("link", "moved");
            Files.delete(b.resolve("moved"));
            assertThat(Files.exists(a.resolve("moved"))).isFalse();
            assertThat(Files.getAttribute(a.resolve("link"), "unix:nlink")).isEqualTo(1);
            Files.delete(a.resolve("link"));

            // One name of three kinds.
            Files.createDirectories(a.resolve("name/inner"));
            assertThat(Files.isDirectory(b.resolve("name/inner"))).isTrue();
            assertThatThrownBy(() -> Files.delete(b.resolve("name"))).isInstanceOf(DirectoryNotEmptyException.class);
            Files.delete(b.resolve("name/inner"));
            Files.delete(a.resolve("name"));
            Files.createSymbolicLink(b.resolve("name"), Path.of("target"));
            assertThat(Files.readSymbolicLink(a.resolve("name"))).isEqualTo(Path.of("target"));
            Files.delete(a.resolve("name"));
            Files.createFile(a.resolve("name"));
            assertThat(Files.isRegularFile(b.resolve("name"), LinkOption.NOFOLLOW_LINKS))
                    .isTrue();
            Files.delete(b.resolve("name"));
            assertThat(names(a)).isEmpty();
        }
    }

    @Test
    void movedTreeIsFoundByTheOtherMount() throws IOException {
        Files.createDirectories(first.resolve("from/deep/er"));
        Files.writeString(first.resolve("from/deep/er/file"), "x");
        assertThat(second.resolve("from/deep/er/file")).hasContent("x");
        Files.createDirectory(second.resolve("to"));
        Files.move(first.resolve("from/deep"), first.resolve("to/deep"));
        assertThat(second.resolve("to/deep/er/file")).hasContent("x");
        assertThatThrownBy(() -> Files.readString(second.resolve("from/deep/er/file")))
                .isInstanceOf(NoSuchFileException.class);
        // Into itself, from the side that did not move it.
        assertThatThrownBy(() -> Files.move(second.resolve("to"), second.resolve("to/deep/er/to")))
                .isInstanceOf(IOException.class);
        assertThat(first.resolve("to/deep/er/file")).hasContent("x");
    }

    @Test
    void attributesAreSeenAtOnce() throws IOException {
        Path a = Files.createFile(first.resolve("file"));
        Path b = second.resolve("file");
        assertThat(Files.size(b)).isZero();
        for (int round = 0; round < 20; round++) {
            String mode = round % 2 == 0 ? "rw-r-----" : "rwxrwxr-x";
            Files.setPosixFilePermissions(a, PosixFilePermissions.fromString(mode));
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(b)))
                    .isEqualTo(mode);
            FileTime time = FileTime.from(1_000_000_000_000_000_123L + round, TimeUnit.NANOSECONDS);
            Files.setLastModifiedTime(b, time);
            assertThat(Files.getLastModifiedTime(a)).isEqualTo(time);
            byte[] value = ("value " + round).getBytes(StandardCharsets.UTF_8);
            view(a).write("key", ByteBuffer.wrap(value));
            ByteBuffer read = ByteBuffer.allocate(100);
            view(b).read("key", read);
            assertThat(Arrays.copyOf(read.array(), read.position())).isEqualTo(value);
            assertThat(Files.getAttribute(b, "unix:ino")).isEqualTo(Files.getAttribute(a, "unix:ino"));
        }
    }

    private static UserDefinedFileAttributeView view(Path file) {
        return Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
    }

    @Test
    void appendsOfBothAreWholeAndNoneIsLost() throws Exception {
        int each = 120;
        Files.createFile(first.resolve("log"));
        atOnce(4, writer -> {
            Path log = (writer % 2 == 0 ? first : second).resolve("log");
            Random random = new Random(writer);
            try (FileChannel channel = FileChannel.open(log, StandardOpenOption.APPEND)) {
                for (int i = 0; i < each; i++) {
                    String body = String.valueOf((char) ('a' + writer)).repeat(10 + random.nextInt(3000));
                    byte[] line = (writer + " " + i + " " + body + "\n").getBytes(StandardCharsets.US_ASCII);
                    assertThat(channel.write(ByteBuffer.wrap(line))).isEqualTo(line.length);
                }
            }
            return null;
        });
        for (Path mount : List.of(first, second)) {
            int[] next = new int[4];
            for (String line : Files.readAllLines(mount.resolve("log"), StandardCharsets.US_ASCII)) {
                String[] fields = line.split(" ", -1);
                assertThat(fields).as("line %.60s", line).hasSize(3);
                int writer = Integer.parseInt(fields[0]);
                assertThat(Integer.parseInt(fields[1]))
                        .as("order of writer %s", writer)
                        .isEqualTo(next[writer]++);
                assertThat(fields[2]).matches((char) ('a' + writer) + "+");
            }
            assertThat(next).containsOnly(each);
        }
    }

    @Test
    void exclusiveCreationHasOneWinner() throws Exception {
        int races = 60;
        CyclicBarrier start = new CyclicBarrier(4);
        List<List<Boolean>> won = atOnce(4, racer -> {
            Path folder = racer % 2 == 0 ? first : second;
            List<Boolean> mine = new ArrayList<>();
            for (int race = 0; race < races; race++) {
                Path name = folder.resolve("name-" + race);
                start.await(1, TimeUnit.MINUTES);
                try {
                    if (race % 3 == 0) {
                        Files.createDirectory(name);
                    } else if (race % 3 == 1) {
                        Files.createFile(name);
                    } else {
                        Files.createSymbolicLink(name, Path.of("by-" + racer));
                    }
                    mine.add(true);
                } catch (FileAlreadyExistsException e) {
                    mine.add(false);
                }
            }
            return mine;
        });
        for (int race = 0; race < races; race++) {
            int number = race;
            assertThat(won.stream().filter(mine -> mine.get(number)).count())
                    .as("winners of race %s", race)
                    .isEqualTo(1);
        }
        assertThat(names(first)).hasSize(races);
    }

    @Test
    void oneOfManyRenamesOfNameWins() throws Exception {
        int races = 40;
        CyclicBarrier start = new CyclicBarrier(2);
        for (int race = 0; race < races; race++) {
            Files.writeString(first.resolve("from-" + race), "x");
        }
        List<List<Boolean>> won = atOnce(2, racer -> {
            Path folder = racer % 2 == 0 ? first : second;
            List<Boolean> mine = new ArrayList<>();
            for (int race = 0; race < races; race++) {
                start.await(1, TimeUnit.MINUTES);
                try {
                    Files.move(
                            folder.resolve("from-" + race),
                            folder.resolve("to-" + racer + "-" + race),
                            StandardCopyOption.ATOMIC_MOVE);
                    mine.add(true);
                } catch (NoSuchFileException e) {
                    mine.add(false);
                }
            }
            return mine;
        });
        for (int race = 0; race < races; race++) {
            assertThat(won.get(0).get(race))
                    .as("race %s", race)
                    .isNotEqualTo(won.get(1).get(race));
        }
        assertThat(names(second)).hasSize(races);
    }

    @Test
    void openFilesOutliveTheirNames() throws IOException {
        byte[] old = new byte[50_000];
        Arrays.fill(old, (byte) 'o');
        Files.write(first.resolve("removed"), old);
        Files.write(first.resolve("replaced"), old);
        try (FileChannel removed =
                        FileChannel.open(second.resolve("removed"), StandardOpenOption.READ, StandardOpenOption.WRITE);
                FileChannel replaced = FileChannel.open(second.resolve("replaced"), StandardOpenOption.READ)) {
            Files.delete(first.resolve("removed"));
            Files.writeString(first.resolve("new"), "new");
            Files.move(first.resolve("new"), first.resolve("replaced"), StandardCopyOption.REPLACE_EXISTING);
            assertThat(second.resolve("replaced")).hasContent("new");
            // Enough new data to fill whatever were freed too early.
            for (int i = 0; i < 20; i++) {
                Files.write(first.resolve("other-" + i), new byte[300_000]);
            }
            assertThat(readAll(removed)).isEqualTo(old);
            assertThat(readAll(replaced)).isEqualTo(old);
            removed.write(ByteBuffer.wrap(new byte[] {'n'}), 0);
            removed.force(true);
            assertThat(readAll(removed)[0]).isEqualTo((byte) 'n');
        }
        assertThat(second.resolve("removed")).doesNotExist();
    }

    private static byte[] readAll(FileChannel channel) throws IOException {
        return FileBytes.read(channel, 0, Math.toIntExact(channel.size()));
    }

    @Test
    void openDirectoryThatTheOtherMountRemovedIsEmpty() throws IOException {
        Shell.bash(second, Duration.ofMinutes(1), """
                        errors=$(mktemp); trap 'rm "$errors"' EXIT
                        for i in $(seq 8); do
                            mkdir d$i; touch d$i/f; cd d$i; exec 9<.; rm -r "$1/d$i"; test "$(stat -c %h .)" = 0
                            for call in 'stat f' 'rm f' 'rmdir f' 'touch g' 'mkdir g' 'mv f g' 'ln f g'; do
                                not $call 2>"$errors"; grep -q 'No such file or directory' "$errors" || { cat "$errors"; false; }
                            done
                            cd "$2"
                        done
                        """, first, second).succeeded();
        // Of two homes, so that some are elsewhere than the directory that has the name.
        for (int i = 0; i < 8; i++) {
            String name = "listed" + i;
            Files.createDirectory(second.resolve(name));
            Files.createFile(second.resolve(name + "/f"));
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(second.resolve(name))) {
                Files.delete(first.resolve(name + "/f"));
                Files.delete(first.resolve(name));
                assertThat(entries).isEmpty();
            }
        }
    }

    @Test
    void readerNeverSeesHalfOfReplacedFile() throws Exception {
        int versions = 150;
        Files.write(first.resolve("file"), version(0));
        atOnce(2, side -> {
            int last = 0;
            for (int i = 1; side == 0 && i <= versions; i++) {
                Files.write(first.resolve("next"), version(i));
                Files.move(first.resolve("next"), first.resolve("file"), StandardCopyOption.ATOMIC_MOVE);
            }
            while (side == 1 && last < versions) {
                byte[] seen = Files.readAllBytes(second.resolve("file"));
                int number = ByteBuffer.wrap(seen).getInt();
                assertThat(number).isGreaterThanOrEqualTo(last);
                assertThat(seen).isEqualTo(version(number));
                last = number;
            }
            return null;
        });
    }

    private static byte[] version(int number) {
        ByteBuffer bytes = ByteBuffer.allocate(5000 + 1000 * (number % 7));
        while (bytes.remaining() >= Integer.BYTES) {
            bytes.putInt(number);
        }
        return bytes.array();
    }

    @Test
    void locksHoldAcrossMounts() throws IOException {
        Files.createFile(first.resolve("file"));
        try (FileChannel a = FileChannel.open(first.resolve("file"), StandardOpenOption.WRITE);
                FileChannel b = FileChannel.open(second.resolve("file"), StandardOpenOption.WRITE)) {
            try (FileLock held = a.tryLock(0, 100, false)) {
                assertThat(held).isNotNull();
                assertThat(b.tryLock(50, 100, false)).isNull();
                try (FileLock beside = b.tryLock(100, 100, false)) {
                    assertThat(beside).isNotNull();
                }
            }
            try (FileLock after = b.tryLock(50, 100, false)) {
                assertThat(after).isNotNull();
                assertThat(a.tryLock(0, 100, false)).isNull();
            }
        }
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.map(e -> e.getFileName().toString()).sorted().toList();
        }
    }

    /** What one of several threads does. */
    private interface Part<T> {
        T run(int index) throws Exception;
    }

    private static <T> List<T> atOnce(int threads, Part<T> part) throws Exception {
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<Callable<T>> parts = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int index = i;
                parts.add(() -> part.run(index));
            }
            List<T> answers = new ArrayList<>();
            for (Future<T> future : pool.invokeAll(parts, 100, TimeUnit.SECONDS)) {
                answers.add(future.get());
            }
            return answers;
        }
    }
}
