package org.octofs.tests.conformance;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.octofs.tests.posix.Posix;
import org.octofs.tests.posix.Script;

/**
 * Tables of cases in the resources of this package: one line each, steps parted by ';', each a call of {@link Script} and, behind
 * "=>", its answer. Without one it must answer "ok". In answers {@code *} stands for anything, {@code =zN} for the digest of N
 * zeros.
 */
public final class CaseTable {
    private static final String ANSWER = " => ";

    /** One line of a table. */
    public record Case(String table, int line, String section, String text) {
        @Override
        public String toString() {
            return table + ":" + line + " [" + section + "] " + text;
        }
    }

    private CaseTable() {}

    /** All cases of a table. */
    public static List<Case> read(String table) {
        List<Case> cases = new ArrayList<>();
        try (InputStream stream = CaseTable.class.getResourceAsStream("/conformance/" + table + ".txt");
                BufferedReader lines = new BufferedReader(
                        new InputStreamReader(Objects.requireNonNull(stream, table), StandardCharsets.US_ASCII))) {
            String section = "";
            int number = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                number++;
                if (line.startsWith("[")) {
                    section = line.substring(1, line.indexOf(']'));
                } else if (!line.isBlank() && !line.startsWith("#")) {
                    cases.add(new Case(table, number, section, line));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return cases;
    }

    /** Runs each case in a folder of its own; answers what went wrong, a line each. */
    public static List<String> failures(List<Case> cases, Supplier<Posix> freshFolders) {
        List<String> failures = new ArrayList<>();
        for (Case one : cases) {
            try (Posix posix = freshFolders.get();
                    Script script = new Script(posix)) {
                for (String step : one.text().split(";", -1)) {
                    String[] parts = step.strip().split(ANSWER, 2);
                    String expected = parts.length > 1 ? parts[1].strip() : "ok";
                    String answer = script.run(parts[0]);
                    if (!matches(expected, answer)) {
                        failures.add(one + "\n    " + parts[0] + " answered " + answer + ", not " + expected);
                        break;
                    }
                }
            }
        }
        return failures;
    }

    private static boolean matches(String expected, String answer) {
        int zeros = expected.indexOf("=z");
        String wanted = zeros < 0
                ? expected
                : expected.substring(0, zeros) + Script.digestOfZeros(Integer.parseInt(expected.substring(zeros + 2)));
        if (wanted.indexOf('*') < 0) {
            return wanted.equals(answer);
        }
        return Pattern.matches(Pattern.quote(wanted).replace("*", "\\E.*\\Q"), answer);
    }
}
