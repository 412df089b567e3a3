package org.octofs.tests.posix;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * A program of calls, one per line, words parted by blanks; {@link #run} answers what the call answered: "ok", a value, or the
 * name of an errno. In paths {@code \xNN} is a byte and {@code *N} repeats the character before it N times. Data is described by
 * a length and a seed.
 *
 * <pre>
 * create PATH [MODE]          open HANDLE PATH FLAG|FLAG [MODE]   close HANDLE        mkdir PATH [MODE]
 * fifo PATH [MODE]            symlink TARGET PATH                 link PATH NEW       linkopen HANDLE NEW
 * unlink PATH                 rmdir PATH                          readlink PATH       ls PATH
 * rename PATH NEW [noreplace|exchange|both]                       stat PATH           fstat HANDLE
 * chmod PATH MODE             fchmod HANDLE MODE                  chown PATH UID GID  utimes PATH ATIME MTIME
 * truncate PATH SIZE          ftruncate HANDLE SIZE               times PATH          blocks PATH
 * write HANDLE AT LENGTH SEED read HANDLE AT LENGTH               fsync HANDLE        data PATH
 * fallocate HANDLE [keep|punch|zero|...] AT LENGTH                seek HANDLE AT data|hole
 * copy HANDLE AT HANDLE AT LENGTH                                 mark PATH           moved PATH
 * setx PATH NAME LENGTH SEED [create|replace]                     getx PATH NAME      listx PATH
 * rmx PATH NAME               as UID GID [GROUP]
 * </pre>
 *
 * <p>Threading: one thread at a time. Ownership: closes the handles that it opened, not the calls it runs on.
 */
public final class Script implements AutoCloseable {
    /** The clocks that file systems stamp with may tick as slowly as this. */
    private static final long TICK_MILLIS = 12;

    private static final int WHOLE_FILE_BYTES = 1 << 22;
    private static final Map<String, Integer> FLAGS = Map.ofEntries(
            Map.entry("RDONLY", 0),
            Map.entry("WRONLY", 1),
            Map.entry("RDWR", 2),
            Map.entry("CREAT", 0100),
            Map.entry("EXCL", 0200),
            Map.entry("TRUNC", 01000),
            Map.entry("APPEND", 02000),
            Map.entry("NONBLOCK", 04000),
            Map.entry("DIRECTORY", 0200000),
            Map.entry("NOFOLLOW", 0400000),
            Map.entry("TMPFILE", 020200000));
    private static final Map<String, Integer> ALLOCATION =
            Map.of("none", 0, "keep", 1, "punch", 3, "zero", 16, "zerokeep", 17);
    private static final Map<String, Integer> RENAMING = Map.of("noreplace", 1, "exchange", 2, "both", 3);

    private final Posix posix;
    private final Map<String, Integer> handles = new HashMap<>();
    private final Map<String, FileStatus> marks = new HashMap<>();

    /** A program that has not begun. */
    public Script(Posix posix) {
        this.posix = posix;
    }

    /** Runs one line. */
    public String run(String line) {
        String[] words = line.strip().split("\\s+", -1);
        try {
            return step(words);
        } catch (PosixException e) {
            return e.getMessage();
        }
    }

    /** Runs lines one after the other; answers each with what it answered. */
    public List<String> runAll(List<String> lines) {
        List<String> answers = new ArrayList<>();
        for (String line : lines) {
            answers.add(line + " -> " + run(line));
        }
        return answers;
    }

    private String step(String... w) throws PosixException {
        return switch (w[0]) {
            case "open", "create", "close", "fsync", "write", "read", "data", "copy", "fallocate", "seek" -> data(w);
            case "setx", "getx", "listx", "rmx" -> attributes(w);
            case "stat", "fstat", "blocks", "times", "mark", "moved" -> status(w);
            case "chmod", "fchmod", "chown", "utimes", "truncate", "ftruncate" -> change(w);
            default -> names(w);
        };
    }

    private String names(String... w) throws PosixException {
        switch (w[0]) {
            case "mkdir" -> posix.makeDirectory(path(w[1]), mode(w, 2, 0755));
            case "fifo" -> posix.makeFifo(path(w[1]), mode(w, 2, 0644));
            case "symlink" -> posix.makeSymlink(path(w[1]), path(w[2]));
            case "link" -> posix.link(path(w[1]), path(w[2]));
            case "linkopen" -> posix.link(handle(w[1]), path(w[2]));
            case "unlink" -> posix.unlink(path(w[1]));
            case "rmdir" -> posix.removeDirectory(path(w[1]));
            case "rename" -> posix.rename(path(w[1]), path(w[2]), w.length > 3 ? RENAMING.get(w[3]) : 0);
            case "readlink" -> {
                return text(posix.readSymlink(path(w[1])));
            }
            case "ls" -> {
                return posix.list(path(w[1])).stream()
                        .map(Script::text)
                        .sorted()
                        .toList()
                        .toString();
            }
            case "as" -> posix.become(number(w[1]), number(w[2]), w.length > 3 ? number(w[3]) : -1);
            default -> throw new IllegalArgumentException("no such call: " + String.join(" ", w));
        }
        return "ok";
    }

    private String data(String... w) throws PosixException {
        switch (w[0]) {
            case "create" -> posix.close(posix.open(path(w[1]), flags("CREAT|EXCL|WRONLY"), mode(w, 2, 0644)));
            case "open" -> {
                forget(w[1]);
                handles.put(w[1], posix.open(path(w[2]), flags(w[3]), mode(w, 4, 0644)));
            }
            case "close" -> {
                int descriptor = handle(w[1]);
                handles.remove(w[1]);
                posix.close(descriptor);
            }
            case "fsync" -> posix.sync(handle(w[1]));
            case "write" -> {
                return Integer.toString(posix.write(handle(w[1]), size(w[2]), bytes(number(w[3]), number(w[4]))));
            }
            case "read" -> {
                return digest(posix.read(handle(w[1]), size(w[2]), number(w[3])));
            }
            case "data" -> {
                int descriptor = posix.open(path(w[1]), flags("RDONLY"), 0);
                try {
                    return digest(posix.read(descriptor, 0, WHOLE_FILE_BYTES));
                } finally {
                    posix.close(descriptor);
                }
            }
            case "copy" -> {
                return Long.toString(posix.copy(handle(w[1]), size(w[2]), handle(w[3]), size(w[4]), size(w[5])));
            }
            case "fallocate" -> posix.allocate(handle(w[1]), ALLOCATION.get(w[2]), size(w[3]), size(w[4]));
            default -> {
                return Long.toString(posix.seek(handle(w[1]), size(w[2]), w[3].equals("data") ? 3 : 4));
            }
        }
        return "ok";
    }

    private String status(String... w) throws PosixException {
        if (w[0].equals("fstat")) {
            return posix.status(handle(w[1])).toString();
        }
        FileStatus status = posix.status(path(w[1]));
        return switch (w[0]) {
            case "blocks" -> Long.toString(status.blocks());
            case "times" -> status.accessed() + " " + status.modified();
            case "mark" -> {
                marks.put(w[1], status);
                passTick();
                yield "ok";
            }
            case "moved" -> moved(marks.get(w[1]), status);
            default -> status.toString();
        };
    }

    /** Not to wait for anything, but so that the next stamp differs. */
    private static void passTick() {
        long end = System.nanoTime() + TICK_MILLIS * 1_000_000;
        while (System.nanoTime() < end) {
            java.util.concurrent.locks.LockSupport.parkNanos(end - System.nanoTime());
        }
    }

    private static String moved(FileStatus before, FileStatus now) {
        return (before.accessed().equals(now.accessed()) ? "-" : "a")
                + (before.modified().equals(now.modified()) ? "-" : "m")
                + (before.changed().equals(now.changed()) ? "-" : "c");
    }

    private String change(String... w) throws PosixException {
        switch (w[0]) {
            case "chmod" -> posix.changeMode(path(w[1]), octal(w[2]));
            case "fchmod" -> posix.changeMode(handle(w[1]), octal(w[2]));
            case "chown" -> posix.changeOwner(path(w[1]), number(w[2]), number(w[3]));
            case "utimes" -> posix.changeTimes(path(w[1]), time(w[2]), time(w[3]));
            case "truncate" -> posix.truncate(path(w[1]), size(w[2]));
            default -> posix.truncate(handle(w[1]), size(w[2]));
        }
        return "ok";
    }

    private String attributes(String... w) throws PosixException {
        switch (w[0]) {
            case "setx" -> {
                String how = w.length > 5 ? w[5] : "";
                int flags = how.equals("create") ? 1 : how.equals("replace") ? 2 : 0;
                posix.setAttribute(path(w[1]), w[2], bytes(number(w[3]), number(w[4])), flags);
            }
            case "getx" -> {
                return digest(posix.attribute(path(w[1]), w[2]));
            }
            case "listx" -> {
                return posix.attributes(path(w[1])).stream().sorted().toList().toString();
            }
            default -> posix.removeAttribute(path(w[1]), w[2]);
        }
        return "ok";
    }

    private int handle(String name) throws PosixException {
        Integer descriptor = handles.get(name);
        if (descriptor == null) {
            throw new PosixException(org.octofs.rpc.protocol.Errno.EBADF);
        }
        return descriptor;
    }

    private void forget(String name) throws PosixException {
        Integer before = handles.remove(name);
        if (before != null) {
            posix.close(before);
        }
    }

    private static int number(String word) {
        return Integer.parseInt(word);
    }

    /** A number, or "max" for the largest file, plus or minus a number. */
    private static long size(String word) {
        return word.startsWith("max")
                ? Long.MAX_VALUE + (word.length() > 3 ? Long.parseLong(word.substring(3)) : 0)
                : Long.parseLong(word);
    }

    private static int octal(String word) {
        return Integer.parseInt(word, 8);
    }

    private static int mode(String[] w, int at, int otherwise) {
        return w.length > at ? octal(w[at]) : otherwise;
    }

    private static int flags(String words) {
        int flags = 0;
        for (String word : words.split("\\|", -1)) {
            flags |= FLAGS.get(word);
        }
        return flags;
    }

    private static FileStatus.Time time(String word) {
        if (word.equals("now")) {
            return FileStatus.Time.NOW;
        }
        if (word.equals("omit")) {
            return FileStatus.Time.OMIT;
        }
        int dot = word.indexOf('.');
        return new FileStatus.Time(Long.parseLong(word.substring(0, dot)), Long.parseLong(word.substring(dot + 1)));
    }

    /** The bytes that a path stands for. */
    public static byte[] path(String word) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < word.length(); i++) {
            char c = word.charAt(i);
            if (c == '\\' && word.startsWith("x", i + 1)) {
                bytes.write(Integer.parseInt(word.substring(i + 2, i + 4), 16));
                i += 3;
            } else if (c == '*') {
                int end = i + 1;
                while (end < word.length() && Character.isDigit(word.charAt(end))) {
                    end++;
                }
                byte[] sofar = bytes.toByteArray();
                for (int n = number(word.substring(i + 1, end)); n > 1; n--) {
                    bytes.write(sofar[sofar.length - 1]);
                }
                i = end - 1;
            } else {
                bytes.writeBytes(String.valueOf(c).getBytes(StandardCharsets.UTF_8));
            }
        }
        return bytes.toByteArray();
    }

    private static String text(byte[] name) {
        StringBuilder text = new StringBuilder();
        for (byte b : name) {
            if (b > ' ' && b < 0x7F) {
                text.append((char) b);
            } else {
                text.append(String.format(Locale.ROOT, "\\x%02x", b & 0xFF));
            }
        }
        return text.toString();
    }

    /** Bytes that a seed stands for; seed 0 is zeros. */
    private static byte[] bytes(int length, int seed) {
        byte[] bytes = new byte[length];
        if (seed != 0) {
            new java.util.Random(seed).nextBytes(bytes);
        }
        return bytes;
    }

    /** The checksum that a read of so many zeros answers behind its length. */
    public static String digestOfZeros(int count) {
        return checksum(new byte[count]);
    }

    private static String digest(byte[] bytes) {
        return bytes.length + "/" + checksum(bytes);
    }

    private static String checksum(byte[] bytes) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes);
        return Long.toHexString(checksum.getValue());
    }

    @Override
    public void close() {
        for (int descriptor : handles.values()) {
            try {
                posix.close(descriptor);
            } catch (PosixException e) {
                throw new AssertionError(Arrays.toString(new String[] {"close", e.getMessage()}), e);
            }
        }
        handles.clear();
    }
}
