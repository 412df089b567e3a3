package org.octofs.fuse.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HandleTableTest {
    private final HandleTable<String> table = new HandleTable<>();

    @Test
    void aHandleFindsItsValueUntilItEnds() {
        long a = table.add("a");
        long b = table.add("b");
        assertThat(table.get(a)).isEqualTo("a");
        assertThat(table.get(b)).isEqualTo("b");
        assertThat(table.remove(a)).isEqualTo("a");
        assertThat(table.get(a)).isNull();
        assertThat(table.remove(a)).isNull();
        assertThat(table.get(b)).isEqualTo("b");
    }

    @Test
    void anOldHandleDoesNotHitTheNextFileOfItsPlace() {
        long old = table.add("old");
        table.remove(old);
        long next = table.add("next");
        assertThat((int) next).as("same place").isEqualTo((int) old);
        assertThat(next).isNotEqualTo(old);
        assertThat(table.get(old)).isNull();
        assertThat(table.remove(old)).isNull();
        assertThat(table.get(next)).isEqualTo("next");
    }

    @Test
    void aValueIsFoundWhileItsHandleLasts() {
        assertThat(table.find(value -> true)).isNull();
        long a = table.add("a");
        table.add("b");
        assertThat(table.find("a"::equals)).isEqualTo("a");
        assertThat(table.find("b"::equals)).isEqualTo("b");
        table.remove(a);
        assertThat(table.find("a"::equals)).isNull();
        assertThat(table.find("b"::equals)).isEqualTo("b");
    }

    @Test
    void handlesAreDistinctAndNeverZero() {
        Set<Long> seen = new HashSet<>();
        for (int i = 0; i < 3000; i++) {
            seen.add(table.add("x" + i));
        }
        assertThat(seen).hasSize(3000).doesNotContain(0L);
        assertThat(table.get(0)).isNull();
        assertThat(table.get(-1)).isNull();
        assertThat(table.get(4000)).isNull();
    }
}
