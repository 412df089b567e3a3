package org.octofs.server.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.octofs.server.session.ReplyEntryLayout;
import org.octofs.server.session.SessionHeaderLayout;

/** Goal: the tables in docs/formats.md have the offsets of the layout classes. Method: both lists of offsets, compared. */
class FormatsPageTest {
    private static final Path PAGE = Path.of(System.getProperty("octofs.root", ".."), "docs", "formats.md");

    @ParameterizedTest
    @ValueSource(classes = {DentryLayout.class, SessionHeaderLayout.class, ReplyEntryLayout.class})
    void offsetsAgree(Class<?> layout) throws ReflectiveOperationException, IOException {
        List<Integer> constants = new ArrayList<>();
        for (Field field : layout.getFields()) {
            if (field.getName().endsWith("_OFFSET")) {
                constants.add(field.getInt(null));
            }
        }
        List<Integer> documented = new ArrayList<>();
        boolean inside = false;
        for (String line : Files.readAllLines(PAGE)) {
            if (line.startsWith("#")) {
                inside = line.equals("### " + layout.getSimpleName());
            } else if (inside && line.matches("\\| \\d+ \\|.*")) {
                documented.add(Integer.valueOf(line.split("\\|", -1)[1].trim()));
            }
        }
        assertThat(documented).isNotEmpty().isEqualTo(constants);
    }
}
