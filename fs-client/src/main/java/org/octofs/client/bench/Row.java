package org.octofs.client.bench;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * One line of a report: figures by name, in the order in which they are printed. Confined to the thread that makes it.
 */
final class Row {
    /** Names of figures that plots are made of. */
    static final String BYTES = "bytes";

    static final String MEGABYTES = "MB/s";
    static final String CALLERS = "callers";
    static final String RATE = "op/s";

    private static final double MICRO = 1e3;

    private final String name;
    private final Map<String, Object> figures = new LinkedHashMap<>();
    private Histogram nanos;

    Row(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    Map<String, Object> figures() {
        return figures;
    }

    /** Distribution of the latency, null if there is none. */
    Histogram nanos() {
        return nanos;
    }

    /** Adds a number or a text. */
    Row with(String figure, Object value) {
        figures.put(figure, value);
        return this;
    }

    /** Adds the usual percentiles and keeps the distribution for the plot. */
    Row latency(Histogram distribution) {
        nanos = distribution;
        return with("p50 us", distribution.getValueAtPercentile(50) / MICRO)
                .with("p99 us", distribution.getValueAtPercentile(99) / MICRO)
                .with("p99.9 us", distribution.getValueAtPercentile(99.9) / MICRO)
                .with("max us", distribution.getMaxValue() / MICRO);
    }

    /** A figure for people: three or more digits, no more than are known. */
    static String text(Object value) {
        if (value instanceof Double number) {
            double size = Math.abs(number);
            String format = size >= 1000 ? "%.0f" : size >= 100 ? "%.1f" : "%.2f";
            return String.format(Locale.ROOT, format, number);
        }
        return String.valueOf(value);
    }
}
