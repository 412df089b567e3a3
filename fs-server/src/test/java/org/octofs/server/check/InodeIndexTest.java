package org.octofs.server.check;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.octofs.rpc.protocol.InodeNumber;

/** Goal: every inode is found, with what was counted for it, and the memory stays bounded. */
class InodeIndexTest {
    @Test
    void findsWhatWasAddedAndNothingElse() {
        InodeIndex index = new InodeIndex(1000);
        for (int i = 1; i <= 1000; i++) {
            int place = index.add(InodeNumber.of(i % 7, i), i);
            for (int names = 0; names < i % 3; names++) {
                index.addName(place, i % 5, i * 2);
            }
        }
        assertThat(index.size()).isEqualTo(1000);
        for (int i = 1; i <= 1000; i++) {
            int place = index.find(InodeNumber.of(i % 7, i));
            assertThat(index.slot(place)).isEqualTo(i);
            assertThat(index.names(place)).isEqualTo(i % 3);
            assertThat(index.name(place)).isEqualTo(i % 3 == 0 ? 0 : ((long) (i % 5) << 32) + i * 2L);
        }
        assertThat(index.find(InodeNumber.of(1, 7))).isEqualTo(-1);
    }

    /** Names and places of a pool's entries take 16 bytes more each while they are read, and as much again while sorted. */
    @ParameterizedTest
    @ValueSource(ints = {10_000, 1_000_000, 1_400_000, 3_000_000})
    void takesLittleForEachFile(int files) {
        assertThat(new InodeIndex(files).memoryBytes() / files).isLessThanOrEqualTo(100);
    }
}
