package org.octofs.server.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** An inode without a name is freed when nobody has it open and nobody can be about to open it. */
class OrphanListTest {
    private static final long LINGER = 1000;

    private long now = 50;
    private final OrphanList orphans = new OrphanList(() -> now);

    @Test
    void lingersAndIsThenReady() {
        orphans.linger(LINGER);
        orphans.add(7, true);
        orphans.add(8, false);
        assertThat(orphans.nextReady()).isZero();
        assertThat(orphans.isWhole(7)).isTrue();
        now += LINGER - 1;
        assertThat(orphans.nextReady()).isZero();
        now++;
        assertThat(orphans.nextReady()).isEqualTo(7);
        assertThat(orphans.nextReady()).as("until it is freed").isEqualTo(7);
        assertThat(orphans.isWhole(7)).as("its end has begun").isFalse();
        orphans.remove(7);
        assertThat(orphans.nextReady()).as("8 is open").isZero();
    }

    @Test
    void openedWhileItLingersItWaitsForTheClose() {
        orphans.linger(LINGER);
        orphans.add(7, true);
        orphans.opened(7);
        now += 10 * LINGER;
        assertThat(orphans.nextReady()).isZero();
        orphans.closed(7);
        now += LINGER;
        assertThat(orphans.nextReady()).isEqualTo(7);
    }

    @Test
    void doesNotLingerWhenSpaceIsShort() {
        orphans.linger(LINGER);
        assertThat(orphans.hurry()).isFalse();
        orphans.add(7, true);
        orphans.add(8, true);
        assertThat(orphans.hurry()).isTrue();
        assertThat(orphans.nextReady()).isEqualTo(7);
        orphans.remove(7);
        assertThat(orphans.nextReady()).isEqualTo(8);
        orphans.remove(8);
        assertThat(orphans.nextReady()).isZero();
        orphans.add(9, true);
        assertThat(orphans.nextReady()).as("a later one lingers again").isZero();
    }

    @Test
    void withoutLingeringItIsReadyAtOnce() {
        orphans.add(7, true);
        assertThat(orphans.nextReady()).isEqualTo(7);
        assertThat(orphans.isLingering()).isFalse();
    }
}
