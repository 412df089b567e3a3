package org.octofs.client.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The fixed set of fio jobs. */
enum FioJob {
    /** One after the other. */
    SEQUENTIAL_READ("fio sequential read 1 MiB, direct", "read", 1 << 20, 1, true),
    /** See above. */
    SEQUENTIAL_WRITE("fio sequential write 1 MiB, direct", "write", 1 << 20, 1, true),
    /** See above. */
    RANDOM_READ("fio random read 4 KiB, direct", "randread", 4096, 1, true),
    /** See above. */
    RANDOM_WRITE("fio random write 4 KiB, direct", "randwrite", 4096, 1, true),
    /** Several at once. */
    RANDOM_READ_4("fio random read 4 KiB, direct, 4 jobs", "randread", 4096, 4, true),
    /** Through the page cache. */
    BUFFERED_WRITE("fio sequential write 1 MiB, buffered", "write", 1 << 20, 1, false);

    /** Fields of fio's terse output, version 3, counted from 0. */
    private static final int ERROR_FIELD = 4;

    private static final int READ_FIELD = 6;
    private static final int WRITE_FIELD = 47;
    private static final int PERCENTILES_AHEAD = 11;
    private static final int PERCENTILES = 20;
    private static final int FILE_MEGABYTES = 128;

    private final String words;
    private final String pattern;
    private final int bytes;
    private final int jobs;
    private final boolean direct;

    FioJob(String words, String pattern, int bytes, int jobs, boolean direct) {
        this.words = words;
        this.pattern = pattern;
        this.bytes = bytes;
        this.jobs = jobs;
        this.direct = direct;
    }

    /**
     * What fio said.
     *
     * @param medianMicros of the completion latency, the longest of several jobs' medians
     */
    record Figures(double megabytesPerSecond, double operationsPerSecond, double medianMicros) {}

    String words() {
        return words;
    }

    int bytes() {
        return bytes;
    }

    int jobs() {
        return jobs;
    }

    /** Whether it is one of the four that the table has. */
    boolean isOfTable() {
        return direct && jobs == 1;
    }

    /** Runs it in a directory and removes its files. */
    Figures run(Path directory, double seconds) throws IOException, InterruptedException {
        long nanos = (long) (seconds * BenchOptions.SECOND_NANOS);
        List<String> command = new ArrayList<>(List.of(
                "fio",
                "--name=octofs-bench",
                "--directory=" + directory,
                "--rw=" + pattern,
                "--bs=" + bytes,
                "--size=" + FILE_MEGABYTES / jobs + "m",
                "--numjobs=" + jobs,
                "--ioengine=psync",
                "--iomem_align=4096",
                "--time_based",
                "--runtime=" + milliseconds(nanos),
                "--ramp_time=" + milliseconds(BenchOptions.warmUpNanos(nanos)),
                "--unlink=1",
                "--minimal",
                "--terse-version=3"));
        if (direct) {
            command.add("--direct=1");
        }
        Process process = new ProcessBuilder(command).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = process.waitFor();
        if (code != 0) {
            throw new IOException("fio failed with exit code " + code + " in " + directory + ": " + errors.strip());
        }
        return parse(output);
    }

    /** Sums the lines of the jobs. */
    Figures parse(String output) throws IOException {
        int first = pattern.contains("read") ? READ_FIELD : WRITE_FIELD;
        double kibibytes = 0;
        double operations = 0;
        double median = 0;
        for (String line : output.lines().filter(l -> l.startsWith("3;")).toList()) {
            String[] fields = line.split(";", -1);
            if (fields.length < WRITE_FIELD + PERCENTILES_AHEAD + PERCENTILES || !fields[ERROR_FIELD].equals("0")) {
                throw new IOException("fio said something else than expected: " + line);
            }
            kibibytes += Double.parseDouble(fields[first]);
            operations += Double.parseDouble(fields[first + 1]);
            for (int i = 0; i < PERCENTILES; i++) {
                String field = fields[first + PERCENTILES_AHEAD + i];
                if (field.startsWith("50.")) {
                    median = Math.max(median, Double.parseDouble(field.substring(field.indexOf('=') + 1)));
                }
            }
        }
        return new Figures(kibibytes * 1024 / 1e6, operations, median);
    }

    private static String milliseconds(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos) + "ms";
    }
}
