package org.octofs.fuse.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.octofs.fuse.kernel.KernelBinding;
import org.octofs.fuse.memory.MountedMemory;
import org.octofs.fuse.memory.RegionFileSystem;

/**
 * Prints a table: what a mount by the kernel binding does, what one by libfuse in C does, and the ratio. Both serve files that are
 * regions of memory. Each row is measured in pairs, one right after the other, so that whatever else the machine does meets both.
 * Which of them is first makes a difference, of up to 40 % with small files: so each two pairs are in opposite orders and give one
 * ratio, their geometric mean. The table has the median of these ratios.
 *
 * <p>{@code BindingBench MEMFS FILES [--runs N] [--seconds T] [--only WORDS]}; MEMFS and FILES are made by tests/bench/peers/build.
 */
public final class BindingBench {
    private static final double GOAL = 0.9;
    private static final long PATIENCE_SECONDS = 60;
    private static final int MEGABYTES = 256;
    private static final int FILES = 5000;
    private static final int WARM_UP_ROUNDS = 12;

    /** Pairs of a run: one in each order. */
    private static final int PAIRS = 2;

    // Fields of fio's terse output, version 3, counted from 0.
    private static final int ERROR_FIELD = 4;
    private static final int READ_FIELD = 6;
    private static final int WRITE_FIELD = 47;

    private final Path files;
    private final int runs;
    private final double seconds;
    private final String only;
    private final Map<String, List<double[]>> pairs = new LinkedHashMap<>();
    private boolean below;

    private BindingBench(Path files, int runs, double seconds, String only) {
        this.files = files;
        this.runs = runs;
        this.seconds = seconds;
        this.only = only;
    }

    public static void main(String[] arguments) throws Exception {
        int runs = PAIRS * 5;
        double seconds = 2;
        String only = "";
        for (int i = 2; i + 1 < arguments.length; i += 2) {
            switch (arguments[i]) {
                case "--runs" -> runs = PAIRS * Integer.parseInt(arguments[i + 1]);
                case "--seconds" -> seconds = Double.parseDouble(arguments[i + 1]);
                case "--only" -> only = arguments[i + 1];
                default -> throw new IllegalArgumentException("unknown option " + arguments[i]);
            }
        }
        BindingBench bench = new BindingBench(Path.of(arguments[1]), runs, seconds, only);
        Path theirs = Files.createTempDirectory("octofs-memfs");
        // As ours: with it the kernel asks for a directory's attributes after each change of its names.
        Process peer = new ProcessBuilder(arguments[0], "-f", "-o", "default_permissions", theirs.toString())
                .inheritIO()
                .start();
        try (MountedMemory ours = new MountedMemory(
                () -> new KernelBinding(Thread.ofPlatform().name("fuse-", 0).factory()), new RegionFileSystem(), 4)) {
            awaitMount(theirs, peer);
            bench.measure(ours.directory(), theirs);
        } finally {
            peer.destroy();
            peer.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
            Files.deleteIfExists(theirs);
        }
        System.exit(bench.below ? 1 : 0);
    }

    private static void awaitMount(Path directory, Process server) throws IOException, InterruptedException {
        Object parent = Files.getAttribute(directory.getParent(), "unix:dev");
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (Files.getAttribute(directory, "unix:dev").equals(parent)) {
            if (!server.isAlive() || System.nanoTime() - deadline > 0) {
                throw new IOException("the file system in C did not mount");
            }
            Thread.sleep(20);
        }
    }

    private void measure(Path ours, Path theirs) throws IOException, InterruptedException {
        System.out.printf(Locale.ROOT, "%-40s %10s %10s %7s  %s%n", "row", "C", "Java", "ratio", "of the runs");
        for (BindingRow row : BindingRow.values()) {
            if (row.words().contains(only)) {
                fio(row, ours, seconds); // the compiler's work
                for (int run = 0; run < runs; run++) {
                    boolean first = run % 2 == 0;
                    double before = fio(row, first ? theirs : ours, seconds);
                    double after = fio(row, first ? ours : theirs, seconds);
                    note(row.words() + ", MB/s", first ? before : after, first ? after : before);
                }
                print(row.words() + ", MB/s");
            }
        }
        if ("files".contains(only)) {
            for (int round = 0; round < WARM_UP_ROUNDS; round++) {
                smallFiles(ours);
            }
            for (int run = 0; run < runs; run++) {
                boolean first = run % 2 == 0;
                Map<String, Double> before = smallFiles(first ? theirs : ours);
                Map<String, Double> after = smallFiles(first ? ours : theirs);
                for (String what : before.keySet()) {
                    note(
                            words(what) + ", op/s",
                            (first ? before : after).get(what),
                            (first ? after : before).get(what));
                }
            }
            pairs.keySet().stream().filter(what -> what.endsWith("op/s")).forEach(this::print);
        }
    }

    private static String words(String what) {
        return switch (what) {
            case "stat" -> "stat, cold";
            case "open" -> "open and close";
            case "list" -> "listing with attributes, cold";
            default -> what;
        };
    }

    private void note(String what, double theirs, double ours) {
        pairs.computeIfAbsent(what, _ -> new ArrayList<>()).add(new double[] {theirs, ours});
    }

    private void print(String what) {
        List<double[]> of = pairs.get(what);
        double[] ratios = new double[of.size() / PAIRS];
        for (int run = 0; run < ratios.length; run++) {
            double[] one = of.get(PAIRS * run);
            double[] other = of.get(PAIRS * run + 1);
            ratios[run] = Math.sqrt(one[1] / one[0] * (other[1] / other[0]));
        }
        double ratio = median(ratios);
        below |= ratio < GOAL;
        System.out.printf(
                Locale.ROOT,
                "%-40s %10.1f %10.1f %7.2f  %.2f to %.2f%s%n",
                what,
                median(of.stream().mapToDouble(pair -> pair[0]).toArray()),
                median(of.stream().mapToDouble(pair -> pair[1]).toArray()),
                ratio,
                ratios[0],
                ratios[ratios.length - 1],
                ratio < GOAL ? "  below " + GOAL : "");
    }

    private static double median(double[] of) {
        Arrays.sort(of);
        return of[of.length / 2];
    }

    /** MB/s of all jobs together. */
    private static double fio(BindingRow row, Path directory, double seconds) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                "fio",
                "--name=bench",
                "--directory=" + directory,
                "--size=" + MEGABYTES + "m",
                "--ioengine=psync",
                "--iomem_align=4096",
                "--minimal",
                "--terse-version=3"));
        command.addAll(row.options());
        if (!row.isOnePass()) {
            command.addAll(List.of("--time_based", "--runtime=" + (long) (seconds * 1000) + "ms"));
        }
        double kibibytes = 0;
        for (String line : run(command)) {
            String[] fields = line.split(";", -1);
            if (line.startsWith("3;")) {
                if (!fields[ERROR_FIELD].equals("0")) {
                    throw new IOException("fio failed: " + line);
                }
                kibibytes += Double.parseDouble(fields[row.reads() ? READ_FIELD : WRITE_FIELD]);
            }
        }
        return kibibytes * 1024 / 1e6;
    }

    /** Operations per second of each kind. */
    private Map<String, Double> smallFiles(Path directory) throws IOException, InterruptedException {
        Map<String, Double> perSecond = new LinkedHashMap<>();
        for (String line : run(List.of(files.toString(), directory.toString(), Integer.toString(FILES)))) {
            String[] words = line.split(" ", -1);
            perSecond.put(words[0], 1e6 / Double.parseDouble(words[1]));
        }
        return perSecond;
    }

    private static List<String> run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("exit code " + process.exitValue() + " of " + command);
        }
        return output.lines().toList();
    }
}
