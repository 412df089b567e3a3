package org.octofs.pmem.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** docs/formats.md says what the code does: same fields, same offsets, same widths, in the same order. */
class FormatsPageTest {
    private static final Pattern ROW = Pattern.compile("\\| (\\d+) \\| (\\d+) \\| ([A-Z_]+) \\|.*");
    private static final Pattern ZONE_ROW = Pattern.compile("\\| (\\d+) \\| ([A-Z_]+) \\|.*");
    private static final String SUFFIX = "_OFFSET";

    private static List<String> page() throws IOException {
        return Files.readAllLines(Path.of(System.getProperty("octofs.root"), "docs", "formats.md"));
    }

    /** "offset width" by field name, from the section of the class. */
    private static Map<String, String> documented(String className) throws IOException {
        Map<String, String> rows = new LinkedHashMap<>();
        boolean inside = false;
        for (String line : page()) {
            if (line.startsWith("#")) {
                inside = line.equals("### " + className);
            }
            Matcher row = ROW.matcher(line);
            if (inside && row.matches()) {
                rows.put(row.group(3), row.group(1) + " " + row.group(2));
            }
        }
        return rows;
    }

    private static Map<String, String> coded(Class<?> layout, int sizeBytes) throws IllegalAccessException {
        TreeMap<Integer, String> byOffset = new TreeMap<>();
        for (Field field : layout.getFields()) {
            if (field.getType() == int.class && field.getName().endsWith(SUFFIX)) {
                String name = field.getName().substring(0, field.getName().length() - SUFFIX.length());
                assertThat(byOffset.put(field.getInt(null), name))
                        .as("second field there")
                        .isNull();
            }
        }
        Map<String, String> rows = new LinkedHashMap<>();
        byOffset.forEach((offset, name) -> {
            Integer next = byOffset.higherKey(offset);
            rows.put(name, offset + " " + ((next == null ? sizeBytes : next) - offset));
        });
        return rows;
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                SuperblockLayout.class,
                ZoneTableLayout.class,
                SegmentTableLayout.class,
                LogHeadLayout.class,
                LogRecordLayout.class,
                LogEntryLayout.class
            })
    void tablesAndConstantsAgree(Class<?> layout) throws ReflectiveOperationException, IOException {
        String size = layout == LogRecordLayout.class || layout == LogEntryLayout.class ? "HEADER_BYTES" : "SIZE_BYTES";
        Map<String, String> coded = coded(layout, layout.getField(size).getInt(null));
        assertThat(documented(layout.getSimpleName())).isNotEmpty().containsExactlyEntriesOf(coded);
    }

    @Test
    void zonesAndCodesAgree() throws IOException {
        Map<String, Integer> documented = new LinkedHashMap<>();
        for (String line : page()) {
            Matcher row = ZONE_ROW.matcher(line);
            if (row.matches()) {
                documented.put(row.group(2), Integer.parseInt(row.group(1)));
            }
        }
        Map<String, Integer> coded = new LinkedHashMap<>();
        for (ZoneKind kind : ZoneKind.values()) {
            coded.put(kind.name(), kind.code());
            assertThat(kind.code()).as("codes follow the order on the medium").isEqualTo(coded.size() - 1);
        }
        assertThat(documented).containsExactlyEntriesOf(coded);
    }
}
