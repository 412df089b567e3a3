package org.octofs.tests.posix;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;

/**
 * Random programs of {@link Script} over few names, so that calls meet: most calls of a program succeed, and those that fail
 * fail for a reason.
 */
public final class RandomProgram {
    private static final List<String> NAMES = List.of("a", "b", "c", "d", "a/a", "a/b", "b/a", "c/d", "a/b/c", "d/e");
    /** Never opened, and nothing is below them. */
    private static final List<String> SPECIAL = List.of("s", "p", "a/s", "b/p");

    private static final List<String> HANDLES = List.of("h", "g", "k");
    private static final List<String> FLAGS =
            List.of("RDWR", "RDWR|CREAT", "RDWR|CREAT|EXCL", "RDWR|TRUNC", "WRONLY|APPEND", "RDWR|CREAT|TRUNC");
    private static final List<String> MODES = List.of("644", "600", "755", "4755", "2755", "2644", "777");
    private static final int SIZE_MAX = 30_000;

    private final Random random;

    /** The same seed, the same programs. */
    public RandomProgram(long seed) {
        random = new Random(seed);
    }

    /** The next program. */
    public List<String> next(int lines) {
        List<String> program = new ArrayList<>();
        for (int i = 0; i < lines; i++) {
            program.add(line());
        }
        program.add("ls .");
        return program;
    }

    private String line() {
        return switch (random.nextInt(30)) {
            case 0, 1 -> "create " + name() + " " + one(MODES);
            case 2, 3 -> "mkdir " + name() + " 755";
            case 4 -> "symlink target " + one(SPECIAL);
            case 5 -> "fifo " + one(SPECIAL);
            case 6 -> "link " + name() + " " + name();
            case 7 -> one(List.of("link ", "rename ")) + one(SPECIAL) + " " + one(SPECIAL);
            case 8 -> "unlink " + (random.nextInt(3) == 0 ? one(SPECIAL) : name());
            case 9 -> "rmdir " + name();
            case 10, 11, 12 -> "rename " + name() + " " + name() + one(List.of("", "", "", " noreplace", " exchange"));
            case 13 -> one(List.of("readlink ", "stat ")) + one(SPECIAL);
            case 14, 15 -> "ls " + name();
            case 16 -> "stat " + name();
            case 17 -> "chmod " + name() + " " + one(MODES);
            case 18 -> "chown " + name() + " " + random.nextInt(3) + " " + random.nextInt(3);
            case 19 ->
                "setx " + name() + " trusted.k " + random.nextInt(50) + " 1" + one(List.of("", " create", " replace"));
            case 20 -> one(List.of("getx ", "rmx ")) + name() + " trusted.k";
            case 21 -> "truncate " + name() + " " + size();
            case 22 -> "utimes " + name() + " " + random.nextInt(9) + ".5 " + random.nextInt(9) + ".7";
            default -> onHandle();
        };
    }

    private String onHandle() {
        String handle = one(HANDLES);
        return switch (random.nextInt(14)) {
            case 0, 1, 2 -> "open " + handle + " " + name() + " " + one(FLAGS) + "|NOFOLLOW|NONBLOCK 640";
            case 3 -> "close " + handle;
            case 4, 5 -> "write " + handle + " " + size() + " " + random.nextInt(9000) + " " + random.nextInt(9);
            case 6, 7 -> "read " + handle + " " + size() + " " + random.nextInt(9000);
            case 8 -> "fstat " + handle;
            case 9 -> "ftruncate " + handle + " " + size();
            case 10 ->
                "fallocate " + handle + one(List.of(" none ", " punch ", " keep ")) + size() + " " + (1 + size());
            case 11 -> "copy " + handle + " " + size() + " " + one(HANDLES) + " " + size() + " " + random.nextInt(9000);
            case 12 -> "linkopen " + handle + " " + name();
            default -> "fsync " + handle;
        };
    }

    private String name() {
        return one(NAMES);
    }

    private int size() {
        int size = random.nextInt(SIZE_MAX);
        return random.nextInt(3) == 0 ? size & -4096 : size;
    }

    private <T> T one(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    /** A shortest part of a program that still fails: no line of it can be left out. */
    public static List<String> shrink(List<String> program, Predicate<List<String>> fails) {
        List<String> shortest = new ArrayList<>(program);
        for (int piece = Math.max(1, program.size() / 2); piece >= 1; piece /= 2) {
            for (int from = 0; from < shortest.size(); ) {
                List<String> without = new ArrayList<>(shortest);
                without.subList(from, Math.min(shortest.size(), from + piece)).clear();
                if (fails.test(without)) {
                    shortest = without;
                } else {
                    from += piece;
                }
            }
        }
        return shortest;
    }
}
