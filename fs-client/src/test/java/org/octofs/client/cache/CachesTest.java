package org.octofs.client.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a remembered name or place may be used, and when not. */
class CachesTest {
    private static final long DIRECTORY = 7;
    private static final byte[] A = {'a'};
    private static final byte[] B = {'b'};

    private final DentryCache dentries = new DentryCache(10);

    @Test
    void anEntryIsAsGoodAsItsDirectorysVersion() {
        dentries.learned(DIRECTORY, A, 1, 2, 10);

        assertThat(dentries.get(DIRECTORY, A)).isEqualTo(new DentryCache.Dentry(1, 2, 10));
        assertThat(dentries.get(DIRECTORY, B)).isNull();
        dentries.learned(DIRECTORY, B, 0, 0, 14);
        assertThat(dentries.get(DIRECTORY, A))
                .as("learned before an unknown change")
                .isNull();
        assertThat(dentries.get(DIRECTORY, B).isAbsent()).isTrue();
    }

    @Test
    void anOwnChangeCarriesTheOtherEntriesOn() {
        dentries.learned(DIRECTORY, A, 1, 2, 10);
        dentries.changed(DIRECTORY, B, 5, 2, 12);

        assertThat(dentries.get(DIRECTORY, A).version()).isEqualTo(12);
        assertThat(dentries.get(DIRECTORY, B).ino()).isEqualTo(5);
        dentries.changed(DIRECTORY, B, 0, 0, 16);
        assertThat(dentries.get(DIRECTORY, A))
                .as("somebody else's change is in between")
                .isNull();
        assertThat(dentries.get(DIRECTORY, B).isAbsent()).isTrue();
    }

    @Test
    void aLateAnswerIsNotBelieved() {
        dentries.learned(DIRECTORY, B, 1, 2, 10);
        dentries.changed(DIRECTORY, A, 0, 0, 12);
        dentries.learned(DIRECTORY, A, 9, 2, 10);

        assertThat(dentries.get(DIRECTORY, A).isAbsent()).isTrue();
        dentries.changed(DIRECTORY, B, 3, 2, 10);
        assertThat(dentries.get(DIRECTORY, B)).isNull();
    }

    @Test
    void anAnswerThatIsNoNewsMakesTheNameUnknown() {
        for (int round = 0; round < 2; round++) {
            dentries.learned(DIRECTORY, A, 1, 2, 10);
            dentries.learned(DIRECTORY, B, 5, 2, 10);
            if (round == 0) {
                dentries.changed(DIRECTORY, A, 0, 0, DentryCache.NO_NEWS);
            } else {
                dentries.learned(DIRECTORY, A, 7, 2, DentryCache.NO_NEWS);
            }
            assertThat(dentries.get(DIRECTORY, A)).isNull();
            assertThat(dentries.get(DIRECTORY, B).version()).isEqualTo(10);
        }
    }

    @Test
    void theOldestDirectoryMakesRoom() {
        for (int i = 0; i < 8; i++) {
            dentries.learned(1, new byte[] {(byte) i}, 1, 2, 10);
        }
        for (int i = 0; i < 8; i++) {
            dentries.learned(2, new byte[] {(byte) i}, 1, 2, 10);
        }
        assertThat(dentries.get(1, new byte[] {0})).isNull();
        assertThat(dentries.get(2, new byte[] {7})).isNotNull();
    }

    @Test
    void placesAreFoundUntilTheirSetIsFull() {
        SlotCache slots = new SlotCache(64);
        for (long ino = 1; ino <= 1000; ino++) {
            slots.put(ino, ino * 256);
            assertThat(slots.get(ino)).isEqualTo(ino * 256);
        }
        slots.put(1000, 512);
        assertThat(slots.get(1000)).isEqualTo(512);
        slots.remove(1000);
        assertThat(slots.get(1000)).isZero();
        assertThat(slots.get(1)).isZero();
    }
}
