package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Rules of POSIX that programs rely on, through the kernel, by each binding that can carry its requests. */
class MountRulesTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** The same by each binding. */
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    @Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    abstract static class ByBinding {
        private final String binding;

        @AutoClose
        private SystemCluster cluster;

        private Path folder;

        ByBinding(String binding) {
            this.binding = binding;
        }

        @BeforeAll
        void up() {
            cluster = SystemCluster.up(2, "128M", "auto", "allow_other,binding=" + binding);
        }

        @BeforeEach
        void makeFolder(TestInfo test) throws IOException {
            folder = Files.createDirectory(
                    cluster.mount().resolve(test.getTestMethod().orElseThrow().getName()));
        }

        private Shell.Result bash(String script) {
            return Shell.bash(folder, PATIENCE, script).succeeded();
        }

        private Object stat(String name, String attribute) throws IOException {
            return Files.getAttribute(folder.resolve(name), "unix:" + attribute);
        }

        @Test
        void linkCountsOfDirectoriesCountSubdirectories() throws IOException {
            Files.createDirectories(folder.resolve("a/b/c"));
            Files.createDirectory(folder.resolve("a/d"));
            Files.createFile(folder.resolve("a/file"));
            assertThat(stat("a", "nlink")).isEqualTo(4);
            Files.move(folder.resolve("a/b/c"), folder.resolve("c"));
            assertThat(stat("a/b", "nlink")).isEqualTo(2);
            assertThat(stat(".", "nlink")).isEqualTo(4);
            Files.delete(folder.resolve("a/d"));
            assertThat(stat("a", "nlink")).isEqualTo(3);
        }

        @Test
        void inodeNumbersOutliveRenamesAndAreUnique() throws IOException {
            List<Object> numbers = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                Files.createDirectory(folder.resolve("d" + i));
                Files.createFile(folder.resolve("d" + i + "/f"));
                numbers.add(stat("d" + i, "ino"));
                numbers.add(stat("d" + i + "/f", "ino"));
            }
            assertThat(numbers).doesNotHaveDuplicates();
            for (int i = 0; i < 20; i++) {
                Files.move(folder.resolve("d" + i + "/f"), folder.resolve("f" + i));
                Files.move(folder.resolve("d" + i), folder.resolve("e" + i));
                assertThat(stat("e" + i, "ino")).isEqualTo(numbers.get(2 * i));
                assertThat(stat("f" + i, "ino")).isEqualTo(numbers.get(2 * i + 1));
            }
        }

        @Test
        void renameRefusesWhatWouldLoseSomething() throws IOException {
            Files.createDirectories(folder.resolve("full/inner"));
            Files.createDirectories(folder.resolve("other/deep"));
            Files.writeString(folder.resolve("file"), "x");
            assertThatThrownBy(() -> move("other", "full")).isInstanceOf(FileSystemException.class);
            assertThatThrownBy(() -> move("file", "other")).isInstanceOf(FileSystemException.class);
            assertThatThrownBy(() -> move("other", "file")).isInstanceOf(FileSystemException.class);
            assertThatThrownBy(() -> move("other", "other/deep/it")).isInstanceOf(FileSystemException.class);
            assertThatThrownBy(() -> Files.delete(folder.resolve("full")))
                    .isInstanceOf(DirectoryNotEmptyException.class);
            assertThat(folder.resolve("full/inner")).isDirectory();
            assertThat(folder.resolve("other/deep")).isDirectory();
            assertThat(folder.resolve("file")).hasContent("x");
            move("other", "full/inner");
            assertThat(folder.resolve("full/inner/deep")).isDirectory();
            Files.createLink(folder.resolve("hard"), folder.resolve("file"));
            move("hard", "file");
            assertThat(folder.resolve("hard"))
                    .as("two names of one file: nothing happens")
                    .exists();
        }

        private void move(String from, String to) throws IOException {
            Files.move(folder.resolve(from), folder.resolve(to), StandardCopyOption.ATOMIC_MOVE);
        }

        @Test
        void timesFollowWhatIsDone() throws IOException {
            bash("""
                    touch -d @1000000000.123456789 f; test "$(stat -c %.9Y f)" = 1000000000.123456789
                    cp -p f g; test "$(stat -c %.9Y g)" = 1000000000.123456789
                    after() { local old=$1; shift; sleep 0.02; "$@"; test "$(stat -c %.9Y .)" != "$old"; }
                    after "$(stat -c %.9Y .)" touch new
                    after "$(stat -c %.9Y .)" mv new newer
                    after "$(stat -c %.9Y .)" ln newer link
                    after "$(stat -c %.9Y .)" mkdir d
                    after "$(stat -c %.9Y .)" rmdir d
                    after "$(stat -c %.9Y .)" rm newer
                    c=$(stat -c %.9Z f); m=$(stat -c %.9Y f); chmod 600 f
                    test "$(stat -c %.9Z f)" != $c; test "$(stat -c %.9Y f)" = $m
                    echo more >>f; test "$(stat -c %.9Y f)" != $m
                    """);
        }

        @Test
        void setgidAndStickyDirectoriesWork() throws IOException {
            requireRoot();
            bash("""
                    mkdir shared; chgrp 4242 shared; chmod 2775 shared
                    mkdir shared/sub; touch shared/file
                    test "$(stat -c '%g %a' shared/sub)" = '4242 2755'
                    test "$(stat -c %g shared/file)" = 4242
                    mkdir -m 1777 tmp; touch tmp/mine
                    not setpriv --reuid=4243 --regid=4243 --clear-groups rm -f tmp/mine
                    setpriv --reuid=4243 --regid=4243 --clear-groups touch tmp/theirs
                    setpriv --reuid=4243 --regid=4243 --clear-groups rm tmp/theirs
                    """);
        }

        @Test
        void permissionsHoldForOtherUsers() throws IOException {
            requireRoot();
            bash("""
                    as() { setpriv --reuid=4243 --regid=4243 --clear-groups "$@"; }
                    echo secret >f; chmod 600 f; not as cat f; chmod 644 f; test "$(as cat f)" = secret
                    not as sh -c 'echo x >f'; not as rm -f f; not as mv f g; not as chmod 777 f; not as touch new; not as mkdir d
                    mkdir closed; echo x >closed/f; chmod 700 closed; not as cat closed/f; not as ls closed
                    mkdir theirs; chown 4243:4243 theirs; as sh -c 'echo mine >theirs/f'
                    test "$(stat -c %u:%g theirs/f)" = 4243:4243
                    printf '#!/bin/sh\\necho ran\\n' >theirs/run; not as theirs/run; chmod 755 theirs/run; test "$(as theirs/run)" = ran
                    chmod 4755 f; chown 4243 f; test "$(stat -c %a f)" = 755
                    """);
        }

        private void requireRoot() {
            assertThat(System.getProperty("user.name"))
                    .as("only root can be somebody else")
                    .isEqualTo("root");
            Shell.requirePrograms("setpriv");
        }

        @Test
        void namesOfAnyKindAreKept() throws IOException {
            List<String> names = List.of(
                    "blank and\ttab",
                    "new\nline",
                    "-rf",
                    "\u65e5\u672c\u8a9e",
                    "\ud83d\udc19",
                    "e\u0301 is not \u00e9",
                    "\u00e9 is not e\u0301",
                    "x".repeat(255));
            for (String name : names) {
                Files.writeString(folder.resolve(name), name);
            }
            try (Stream<Path> entries = Files.list(folder)) {
                assertThat(entries.map(e -> e.getFileName().toString())).containsExactlyInAnyOrderElementsOf(names);
            }
            for (String name : names) {
                assertThat(Files.readString(folder.resolve(name))).isEqualTo(name);
            }
            assertThatThrownBy(() -> Files.createFile(folder.resolve("x".repeat(256))))
                    .hasMessageContaining("too long");
            bash("""
                    name=$(printf 'not\\377utf8')
                    printf x >"$name"; test "$(cat "$name")" = x
                    LC_ALL=C ls -b | grep -q 'not\\\\377utf8'
                    rm -- "$name"
                    """);
        }

        @Test
        void holesReadAsZerosAndTakeNoSpace() throws IOException {
            Path file = folder.resolve("file");
            try (FileChannel channel = FileChannel.open(
                    file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(new byte[] {1}), 5_000_000);
                channel.write(ByteBuffer.wrap(new byte[] {2}), 1L << 40);
                assertThat(channel.size()).isEqualTo((1L << 40) + 1);
                ByteBuffer read = ByteBuffer.allocate(100_000);
                assertThat(channel.read(read, 4_950_000)).isEqualTo(100_000);
                byte[] expected = new byte[100_000];
                expected[50_000] = 1;
                assertThat(read.array()).isEqualTo(expected);
                channel.truncate(5_000_001);
                channel.truncate(3);
                channel.write(ByteBuffer.wrap(new byte[] {3}), 10_000);
                ByteBuffer all = ByteBuffer.allocate(10_001);
                channel.read(all, 0);
                assertThat(Arrays.copyOf(all.array(), 10_000))
                        .as("what was cut off does not come back")
                        .containsOnly(0);
            }
            assertThat(Long.parseLong(bash("stat -c %b file").line())).isLessThanOrEqualTo(3 * 8);
        }

        @Test
        void spaceIsGivenAheadAndPunched() throws IOException {
            Shell.requirePrograms("fallocate");
            bash("""
                    head -c 1000000 /dev/urandom >f; cp f copy
                    fallocate -p -o 100000 -l 200000 f
                    cmp -n 100000 f copy; cmp -i 300000 f copy
                    test "$(tail -c +100001 f | head -c 200000 | tr -d '\\0' | wc -c)" = 0
                    test "$(stat -c %s f)" = 1000000
                    fallocate -l 2000000 f || test $? = 1
                    fallocate -n -l 9000000 copy || test $? = 1
                    test "$(stat -c %s copy)" = 1000000
                    """);
        }

        @Test
        void mappedPagesAndReadsAgree() throws IOException {
            Random random = new Random(11);
            int size = 300_000;
            byte[] model = new byte[size];
            try (FileChannel channel = FileChannel.open(
                    folder.resolve("file"),
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(model));
                MappedByteBuffer map = channel.map(FileChannel.MapMode.READ_WRITE, 0, size);
                for (int i = 0; i < 300; i++) {
                    int length = 1 + random.nextInt(9000);
                    int at = random.nextInt(size - length);
                    byte[] bytes = new byte[length];
                    random.nextBytes(bytes);
                    if (i % 2 == 0) {
                        map.put(at, bytes);
                    } else {
                        channel.write(ByteBuffer.wrap(bytes), at);
                    }
                    System.arraycopy(bytes, 0, model, at, length);
                    ByteBuffer read = ByteBuffer.allocate(length);
                    channel.read(read, at);
                    assertThat(read.array()).isEqualTo(bytes);
                    byte[] mapped = new byte[length];
                    map.get(at, mapped);
                    assertThat(mapped).isEqualTo(bytes);
                }
                map.force();
            }
            assertThat(Files.readAllBytes(folder.resolve("file"))).isEqualTo(model);
        }

        @Test
        void readOnlyFilesAreNotOverwritten() throws IOException {
            requireRoot();
            bash("""
                    mkdir theirs; chown 4243:4243 theirs
                    as() { setpriv --reuid=4243 --regid=4243 --clear-groups "$@"; }
                    as sh -c 'echo kept >theirs/f; chmod 444 theirs/f; ! (echo lost >theirs/f) && ! (echo lost >>theirs/f)'
                    test "$(cat theirs/f)" = kept
                    """);
            Path file = Files.writeString(folder.resolve("made-read-only"), "");
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                bash("chmod 000 made-read-only");
                channel.write(ByteBuffer.wrap("still open".getBytes(StandardCharsets.US_ASCII)));
            }
            assertThat(bash("cat made-read-only").line()).isEqualTo("still open");
        }

        @Test
        void createdWithoutWritePermissionItsHandleWrites() throws IOException {
            bash("umask 0777; echo content >f; umask 0222; tar -cf - f | tar -xf - --transform s/f/g/");
            assertThat(bash("cat f g").line()).isEqualTo("content\ncontent");
        }

        @Test
        void symlinksLeadAndLoopsEnd() throws IOException {
            Files.createSymbolicLink(folder.resolve("loop"), Path.of("loop"));
            assertThatThrownBy(() -> Files.readString(folder.resolve("loop"))).isInstanceOf(FileSystemException.class);
            Files.createDirectory(folder.resolve("d"));
            Files.createSymbolicLink(folder.resolve("to-d"), Path.of("d"));
            Files.writeString(folder.resolve("to-d/f"), "x");
            assertThat(folder.resolve("d/f")).hasContent("x");
            String longTarget = "../".repeat(1300) + "tmp";
            Files.createSymbolicLink(folder.resolve("long"), Path.of(longTarget));
            assertThat(Files.readSymbolicLink(folder.resolve("long")).toString())
                    .isEqualTo(longTarget);
            Path link = folder.resolve("changing");
            Files.createSymbolicLink(link, Path.of("0"));
            for (int i = 1; i <= 50; i++) {
                Files.createSymbolicLink(folder.resolve("next"), Path.of("" + i));
                Files.move(folder.resolve("next"), link, StandardCopyOption.ATOMIC_MOVE);
                assertThat(Files.readSymbolicLink(link)).isEqualTo(Path.of("" + i));
            }
        }

        @Test
        void extendedAttributesFollowTheirRules() throws IOException {
            Shell.requirePrograms("setfattr", "getfattr");
            bash("""
                    touch f; setfattr -n user.a -v one f; setfattr -n user.b -v '' f
                    test "$(getfattr --only-values -n user.a f)" = one
                    getfattr -d f | grep -q '^user.b'
                    mv f g; ln g h; test "$(getfattr --only-values -n user.a h)" = one
                    cp --preserve=xattr g copy; test "$(getfattr --only-values -n user.a copy)" = one
                    setfattr -x user.a g; not getfattr -n user.a h
                    not setfattr -x user.a g
                    mkdir d; setfattr -n user.d -v x d; test "$(getfattr --only-values -n user.d d)" = x
                    """);
        }

        @Test
        void trustedAttributesAreShownToAdministratorsOnly() throws IOException {
            requireRoot();
            Shell.requirePrograms("setfattr", "getfattr", "unshare");
            bash("""
                    mkdir open; chmod 777 open; cd open; echo x >f; setfattr -n trusted.t -v 1 f; echo x >g; setfattr -n trusted.t -v 1 g
                    setfattr -n user.u -v 1 f
                    as() { setpriv --reuid=4243 --regid=4243 --clear-groups "$@"; }
                    names() { "$@" getfattr -m - f | grep -v '^#' | xargs echo; }
                    test "$(names env)" = 'trusted.t user.u'
                    test "$(names as)" = user.u
                    test "$(names setpriv --bounding-set=-sys_admin)" = user.u
                    test "$(names as unshare --user --map-root-user)" = user.u
                    test -z "$(as getfattr -m - g)"
                    as cp --preserve=xattr f copy; test "$(names as)" = user.u
                    test "$(as getfattr --only-values -n user.u copy)" = 1
                    """);
        }

        @Test
        void removedWorkingDirectoryIsEmpty() throws IOException {
            // Of two homes, so that many are elsewhere than the directory that has the name.
            bash("""
                    empty() { local entries; entries=$(ls -A "$1"); test -z "$entries"; }
                    for i in $(seq 8); do
                        mkdir d$i e$i; (cd d$i; rmdir ../d$i; empty .; not touch f)
                        mkdir d$i; (cd d$i; mv -T ../e$i ../d$i; empty .; not touch f)
                        (cd d$i; exec 9<.; rmdir ../d$i; empty /proc/self/fd/9/; sync .)
                    done
                    """);
        }

        /** Of files and directories, whoever has made the stamp: the client or a server. */
        @Test
        void timesDoNotRunBackwards() throws IOException {
            Path file = folder.resolve("file");
            FileTime last = FileTime.fromMillis(0);
            for (int i = 0; i < 50; i++) {
                Path other = folder.resolve("other" + i);
                last = notBefore("create", last, Files.createFile(other));
                Files.write(other, new byte[] {1});
                last = notBefore("write", last, other);
                last = notBefore("mkdir", last, Files.createDirectory(folder.resolve("d" + i)));
                try (FileChannel channel = FileChannel.open(other, StandardOpenOption.WRITE)) {
                    channel.truncate(0);
                }
                last = notBefore("truncate", last, other);
                Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
                last = notBefore("rename", last, folder);
                Files.write(file, new byte[] {1}, StandardOpenOption.APPEND);
                last = notBefore("append", last, file);
            }
        }

        private static FileTime notBefore(String call, FileTime last, Path path) throws IOException {
            FileTime now = Files.getLastModifiedTime(path);
            assertThat(now).as(call).isGreaterThanOrEqualTo(last);
            return now;
        }

        @Test
        void manyMakeOneTreeTogether() throws Exception {
            try (ExecutorService pool = Executors.newFixedThreadPool(4)) {
                List<Future<Path>> made = new ArrayList<>();
                for (int i = 0; i < 40; i++) {
                    Path path = folder.resolve("a/b" + i % 4 + "/c/d" + i % 8);
                    made.add(pool.submit(() -> Files.createDirectories(path)));
                }
                for (Future<Path> path : made) {
                    assertThat(path.get(1, TimeUnit.MINUTES)).isDirectory();
                }
            }
            assertThat(bash("find . -type d | wc -l").line()).isEqualTo("" + (2 + 4 + 4 + 8));
            bash("rm -r a");
        }

        @Test
        void listingWhileNamesComeAndGoShowsAllThatStay() throws Exception {
            for (int i = 0; i < 200; i++) {
                Files.createFile(folder.resolve("stay-" + i));
            }
            try (ExecutorService pool = Executors.newSingleThreadExecutor()) {
                Future<?> churn = pool.submit(() -> {
                    for (int i = 0; i < 300; i++) {
                        Files.createFile(folder.resolve("come-" + i));
                        if (i >= 20) {
                            Files.delete(folder.resolve("come-" + (i - 20)));
                        }
                    }
                    return null;
                });
                int listings = 0;
                while (!churn.isDone() || listings == 0) {
                    try (Stream<Path> entries = Files.list(folder)) {
                        List<String> names =
                                entries.map(e -> e.getFileName().toString()).toList();
                        assertThat(names).doesNotHaveDuplicates();
                        assertThat(names.stream()
                                        .filter(n -> n.startsWith("stay-"))
                                        .count())
                                .isEqualTo(200);
                    }
                    listings++;
                }
                churn.get();
            }
        }

        @Test
        void writesOfAnySizeAtAnyPlaceAreKept() throws IOException {
            Random random = new Random(17);
            byte[] model = new byte[0];
            Path file = folder.resolve("file");
            for (int open = 0; open < 12; open++) {
                StandardOpenOption how = open == 0 ? StandardOpenOption.CREATE_NEW : StandardOpenOption.WRITE;
                try (FileChannel channel =
                        FileChannel.open(file, how, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                    for (int i = 0; i < 25; i++) {
                        int at = random.nextInt(400_000);
                        byte[] bytes = new byte[1 + random.nextInt(i % 5 == 0 ? 300_000 : 6000)];
                        random.nextBytes(bytes);
                        if (i % 7 == 6) {
                            int size = random.nextInt(model.length + 1);
                            channel.truncate(size);
                            model = Arrays.copyOf(model, size);
                        } else {
                            channel.write(ByteBuffer.wrap(bytes), at);
                            model = Arrays.copyOf(model, Math.max(model.length, at + bytes.length));
                            System.arraycopy(bytes, 0, model, at, bytes.length);
                        }
                        if (i % 9 == 8) {
                            channel.force(false);
                        }
                    }
                }
                assertThat(Files.size(file)).isEqualTo(model.length);
                assertThat(Files.readAllBytes(file)).as("after open %s", open).isEqualTo(model);
            }
            bash("dd if=file of=direct bs=1M iflag=direct status=none; cmp file direct");
        }
    }

    @Nested
    class ByLibfuse extends ByBinding {
        ByLibfuse() {
            super("jnr");
        }
    }

    @Nested
    class ByKernelProtocol extends ByBinding {
        ByKernelProtocol() {
            super("kernel");
        }
    }
}
