package org.octofs.rpc.fabric.verbs.provider;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The offsets are those that a C compiler prints for layout.c beside the golden file (rdma-core 44, x86-64). Method: every
 * constant has to be in the file with its value; sizes of structures that the libraries allocate are only how much of them is
 * looked at, so they are compared where this side allocates.
 */
final class VerbsLayoutTest {
    private static Map<String, Long> golden() throws IOException {
        Map<String, Long> values = new HashMap<>();
        try (InputStream file = VerbsLayoutTest.class.getResourceAsStream("/verbs/layout.txt")) {
            for (String line : new String(file.readAllBytes(), UTF_8).lines().toList()) {
                int blank = line.indexOf(' ');
                values.put(line.substring(0, blank), Long.parseLong(line.substring(blank + 1)));
            }
        }
        return values;
    }

    @Test
    void everyConstantIsWhatTheCompilerSays() throws Exception {
        Map<String, Long> golden = golden();
        int compared = 0;
        for (Class<?> structure : VerbsLayout.class.getDeclaredClasses()) {
            for (Field field : structure.getDeclaredFields()) {
                String name = structure.getSimpleName() + "." + field.getName();
                Long expected = golden.get(name);
                if (expected == null && field.getName().equals("SIZE")) {
                    continue;
                }
                assertThat(field.getLong(null)).as(name).isEqualTo(expected);
                compared++;
            }
        }
        assertThat(compared).isEqualTo(golden.size());
    }
}
