package org.octofs.client.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.octofs.client.bench.Table.Goal;

/** Goal: what a benchmark writes can be read. Method: a report with rows of all kinds, written to all three places. */
class ReportTest {
    @TempDir
    private Path folder;

    private final StringWriter terminal = new StringWriter();

    private Report open() throws IOException {
        Report report = new Report(new PrintWriter(terminal), folder.resolve("r.json"), folder.resolve("r.html"));
        report.begin("suite", "on a \"quiet\" machine");
        return report;
    }

    private static Row row(String name, int bytes, double megabytes) {
        Histogram nanos = new Histogram(1_000_000, 3);
        for (int i = 1; i <= 1000; i++) {
            nanos.recordValue(i * 100L);
        }
        return new Row(name)
                .with(Row.BYTES, bytes)
                .with(Row.MEGABYTES, megabytes)
                .latency(nanos);
    }

    @Test
    void jsonHasOneObjectPerRow() throws IOException {
        try (Report report = open()) {
            report.add(row("a \\ b", 64, 12.5));
            report.add(new Row("c").with("none", null).with("nan", Double.NaN).with("yes", true));
        }
        assertThat(Files.readAllLines(folder.resolve("r.json")))
                .containsExactly(
                        "{\"suite\":\"suite\",\"row\":\"a \\\\ b\",\"bytes\":64,\"MB/s\":12.5,\"p50 us\":50.015,\"p99 us\":99.007,"
                                + "\"p99.9 us\":99.903,\"max us\":100.031,\"settings\":\"on a \\\"quiet\\\" machine\"}",
                        "{\"suite\":\"suite\",\"row\":\"c\",\"none\":null,\"nan\":null,\"yes\":true,"
                                + "\"settings\":\"on a \\\"quiet\\\" machine\"}");
    }

    @Test
    void thePageIsWellFormedHasPlotsAndNeedsNoNetwork() throws Exception {
        try (Report report = open()) {
            report.add(row("read <1>", 64, 12.5));
            report.add(row("read <1>", 4096, 800));
            report.add(new Row("x").with("held", "no"));
        }
        String page = Files.readString(folder.resolve("r.html"));
        assertThat(page)
                .contains("bandwidth by size", "latency", "<polyline")
                .doesNotContain("http", "<script", "url(");
        String xml = page.replace("<!doctype html>\n", "").replace("<meta charset=\"utf-8\">", "");
        var document = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
        assertThat(document.getElementsByTagName("svg").getLength()).isEqualTo(2);
        assertThat(document.getElementsByTagName("tr").getLength()).isEqualTo(5);
    }

    @Test
    void theTableKnowsWhatHolds() throws IOException {
        try (Report report = open()) {
            Table table = new Table(report);
            table.row("fast", "MB/s", new double[] {97, 90, 99}, new double[] {100, 100, 100}, Goal.atLeast(0.95));
            table.notAsked("other", ">= 1", "nothing there");
            assertThat(table.allHold()).isTrue();
            table.row("slow", "us", new double[] {4, 1.2, 3}, new double[] {2, 1, 2}, Goal.atMost(1.3));
            assertThat(table.allHold()).isFalse();
            assertThat(table.summary()).isEqualTo("1 of 2 rows hold");
        }
        assertThat(terminal.toString().lines().map(l -> l.replaceAll(" +", " ")))
                .contains(
                        "fast MB/s 97.00 100.0 0.97 >= 0.95 yes",
                        "other >= 1 not asked: nothing there",
                        "slow us 3.00 2.00 1.50 <= 1.3 no");
    }

    @Test
    void aRatioThatIsNoNumberDoesNotHold() {
        assertThat(Goal.atMost(1).isHeldBy(Double.NaN)).isFalse();
        assertThat(Goal.atLeast(1).isHeldBy(Double.POSITIVE_INFINITY)).isFalse();
    }
}
