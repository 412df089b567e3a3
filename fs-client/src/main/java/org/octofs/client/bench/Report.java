package org.octofs.client.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Where rows go: a table on the terminal at once, JSON lines at once, a page at the end. One thread.
 */
final class Report implements AutoCloseable {
    private static final int NAME_WIDTH = 52;
    private static final int FIGURE_WIDTH = 9;

    private final PrintWriter out;
    private final PrintWriter json;
    private final Path html;
    private final List<Section> sections = new ArrayList<>();
    private List<String> columns = List.of();

    /**
     * Rows of one suite.
     *
     * @param settings what they depend on, in words
     */
    record Section(String suite, String settings, List<Row> rows) {}

    /** {@code json} and {@code html} may be null. */
    Report(PrintWriter out, Path json, Path html) throws IOException {
        this.out = out;
        this.json = json == null ? null : new PrintWriter(Files.newBufferedWriter(json, StandardCharsets.UTF_8));
        this.html = html;
    }

    /** Begins a suite. */
    void begin(String suite, String settings) {
        sections.add(new Section(suite, settings, new ArrayList<>()));
        columns = List.of();
        out.printf("%n%s: %s%n", suite, settings);
        out.flush();
    }

    /** Adds a row to the suite that was begun last. */
    void add(Row row) {
        Section section = sections.getLast();
        section.rows.add(row);
        List<String> names = List.copyOf(row.figures().keySet());
        if (!names.equals(columns)) {
            columns = names;
            out.printf("%n%-" + NAME_WIDTH + "s", "");
            names.forEach(name -> out.print(" " + pad(name, name)));
            out.println();
        }
        out.printf("%-" + NAME_WIDTH + "s", row.name());
        row.figures().forEach((name, value) -> out.print(" " + pad(name, Row.text(value))));
        out.println();
        out.flush();
        if (json != null) {
            json.println(json(section, row));
            json.flush();
        }
    }

    /** A line for people between the rows. */
    void say(String words) {
        out.println(words);
        out.flush();
    }

    private static String pad(String name, String text) {
        return " ".repeat(Math.max(0, Math.max(FIGURE_WIDTH, name.length()) - text.length())) + text;
    }

    private static String json(Section section, Row row) {
        StringBuilder line = new StringBuilder(256);
        line.append("{\"suite\":").append(Json.text(section.suite));
        line.append(",\"row\":").append(Json.text(row.name()));
        for (Map.Entry<String, Object> figure : row.figures().entrySet()) {
            line.append(',').append(Json.text(figure.getKey())).append(':');
            line.append(Json.value(figure.getValue()));
        }
        line.append(",\"settings\":").append(Json.text(section.settings)).append('}');
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        if (json != null) {
            json.close();
            if (json.checkError()) {
                throw new IOException("the JSON lines could not be written; is the disk full?");
            }
        }
        if (html != null) {
            Files.writeString(html, HtmlReport.page(sections));
        }
    }
}
