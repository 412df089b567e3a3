package org.octofs.client.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** On what the figures were measured: without that they mean nothing. */
final class Machine {
    private static final Path CPU = Path.of("/proc/cpuinfo");
    private static final Path LOAD = Path.of("/proc/loadavg");

    private Machine() {}

    /** One line: processor, kernel, JVM, and how busy the machine is. */
    static String describe() {
        return "%s, %d processors; Linux %s; JVM %s; load %s"
                .formatted(
                        processor(),
                        Runtime.getRuntime().availableProcessors(),
                        System.getProperty("os.version"),
                        Runtime.version(),
                        load());
    }

    private static String processor() {
        try (Stream<String> lines = Files.lines(CPU)) {
            return lines.filter(l -> l.startsWith("model name"))
                    .map(l -> l.substring(l.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException e) {
            return System.getProperty("os.arch");
        }
    }

    /** The three averages of the kernel. */
    static String load() {
        try {
            String line = Files.readString(LOAD);
            int end = line.indexOf(' ', line.indexOf(' ', line.indexOf(' ') + 1) + 1);
            return end < 0 ? line.strip() : line.substring(0, end);
        } catch (IOException e) {
            return "unknown";
        }
    }
}
