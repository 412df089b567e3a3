package org.octofs.client.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.octofs.client.bench.Report.Section;

/** A report as one page of HTML: tables, and plots as inline SVG. It needs nothing from anywhere else. */
final class HtmlReport {
    private static final int DISTRIBUTIONS_MAX = 12;
    private static final double MICRO = 1e3;

    /** Nines of a percentile, from 0 (the median's half) to five: 1 - 10^-x. */
    private static final double[] NINES = {0, 0.3, 0.5, 0.7, 1, 1.3, 1.7, 2, 2.3, 2.7, 3, 3.3, 3.7, 4, 4.5, 5};

    private HtmlReport() {}

    static String page(List<Section> sections) {
        StringBuilder page = new StringBuilder(1 << 16);
        page.append(
                        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>octofs bench</title>\n<style>\n")
                .append("body{font:14px/1.4 sans-serif;max-width:1100px;margin:2em auto;color:#222}")
                .append(
                        "table{border-collapse:collapse;margin:1em 0}td,th{padding:2px 10px;text-align:right;border-bottom:1px solid #ddd}")
                .append(
                        "td:first-child,th:first-child{text-align:left}svg{margin:0 1em 1em 0}.no{color:#b00}p{color:#555}\n")
                .append("</style></head><body><h1>octofs bench</h1>\n");
        for (Section section : sections) {
            page.append("<h2>").append(Plot.escape(section.suite())).append("</h2><p>");
            page.append(Plot.escape(section.settings())).append("</p>\n");
            plots(page, section.rows());
            tables(page, section.rows());
        }
        return page.append("</body></html>\n").toString();
    }

    private static void plots(StringBuilder page, List<Row> rows) {
        curves(page, rows, Row.BYTES, Row.MEGABYTES, Row.CALLERS, "bandwidth by size");
        curves(page, rows, Row.CALLERS, Row.RATE, Row.BYTES, "throughput by callers");
        Plot plot = new Plot("latency", "nines of the percentile", "us", false);
        int count = 0;
        for (Row row : rows) {
            Histogram nanos = row.nanos();
            if (nanos != null && nanos.getTotalCount() > 0 && count < DISTRIBUTIONS_MAX) {
                List<double[]> points = new ArrayList<>();
                for (double nines : NINES) {
                    // No percentile beyond what was counted.
                    if (Math.pow(10, nines) <= nanos.getTotalCount()) {
                        double percentile = 100 - 100 * Math.pow(10, -nines);
                        points.add(new double[] {nines, nanos.getValueAtPercentile(percentile) / MICRO});
                    }
                }
                plot.curve(label(row), points);
                count++;
            }
        }
        plot.appendTo(page);
    }

    private static String label(Row row) {
        Object callers = row.figures().get(Row.CALLERS);
        return callers == null ? row.name() : row.name() + " x" + callers;
    }

    /** One curve for each set of rows that differ by {@code x} alone. */
    private static void curves(StringBuilder page, List<Row> rows, String x, String y, String other, String title) {
        Map<String, List<double[]>> curves = new LinkedHashMap<>();
        for (Row row : rows) {
            if (row.figures().get(x) instanceof Number from && row.figures().get(y) instanceof Number to) {
                Object kept = row.figures().get(other);
                String name = kept == null ? row.name() : row.name() + ", " + other + " " + kept;
                curves.computeIfAbsent(name, _ -> new ArrayList<>())
                        .add(new double[] {from.doubleValue(), to.doubleValue()});
            }
        }
        Plot plot = new Plot(title, x, y, true);
        curves.forEach((name, points) -> {
            if (points.size() > 1) {
                plot.curve(name, points);
            }
        });
        plot.appendTo(page);
    }

    private static void tables(StringBuilder page, List<Row> rows) {
        List<String> columns = List.of();
        boolean open = false;
        for (Row row : rows) {
            List<String> names = List.copyOf(row.figures().keySet());
            if (!names.equals(columns)) {
                columns = names;
                page.append(open ? "</table>\n" : "").append("<table><tr><th></th>");
                names.forEach(
                        name -> page.append("<th>").append(Plot.escape(name)).append("</th>"));
                page.append("</tr>\n");
                open = true;
            }
            page.append("<tr><td>").append(Plot.escape(row.name())).append("</td>");
            for (Object value : row.figures().values()) {
                boolean missed = "no".equals(value);
                page.append(missed ? "<td class=\"no\">" : "<td>").append(Plot.escape(Row.text(value)));
                page.append("</td>");
            }
            page.append("</tr>\n");
        }
        page.append(open ? "</table>\n" : "");
    }
}
