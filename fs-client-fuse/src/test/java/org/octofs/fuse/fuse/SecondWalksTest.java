package org.octofs.fuse.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.octofs.client.client.Attributes;
import org.octofs.rpc.protocol.InodeLayout;

/** Only what a task has found since it was answered ESTALE counts, and not for long. */
class SecondWalksTest {
    private static final byte[] NAME = {'n'};

    private final AtomicLong now = new AtomicLong();
    private final SecondWalks walks = new SecondWalks(now::get);

    private static Attributes inode(long ino) {
        MemorySegment image = MemorySegment.ofArray(new byte[InodeLayout.SIZE_BYTES]);
        image.set(ValueLayout.JAVA_LONG_UNALIGNED, InodeLayout.INO_OFFSET, ino);
        Attributes attributes = new Attributes();
        attributes.fillFrom(image, 0);
        return attributes;
    }

    @Test
    void whatWasFoundBeforeCountsNot() {
        walks.found(1, 10, NAME, inode(20));
        assertThat(walks.find(1, 20)).isNull();
        walks.begin(1);
        assertThat(walks.find(1, 20)).isNull();
        walks.found(1, 10, NAME, inode(20));
        assertThat(walks.find(1, 20).parent).isEqualTo(10);
        assertThat(walks.find(1, 21)).isNull();
        walks.begin(1);
        assertThat(walks.find(1, 20)).as("a walk of its own").isNull();
    }

    @Test
    void tasksAreApart() {
        walks.begin(1);
        walks.found(2, 10, NAME, inode(20));
        assertThat(walks.find(1, 20)).isNull();
        assertThat(walks.find(2, 20)).isNull();
    }

    @Test
    void aWalkEnds() {
        walks.begin(1);
        walks.found(1, 10, NAME, inode(20));
        now.addAndGet(2_000_000_000L);
        assertThat(walks.find(1, 20)).isNotNull();
        now.addAndGet(1);
        assertThat(walks.find(1, 20)).isNull();
    }

    @Test
    void theLatestCount() {
        walks.begin(1);
        walks.found(1, 10, NAME, inode(20));
        walks.found(1, 11, NAME, inode(20));
        assertThat(walks.find(1, 20).parent).isEqualTo(11);
        for (int i = 0; i < 8; i++) {
            walks.found(1, 20, NAME, inode(30 + i));
        }
        assertThat(walks.find(1, 20)).isNull();
        assertThat(walks.find(1, 30)).isNotNull();
    }

    @Test
    void tasksThatDoNotComeBackAreForgotten() {
        for (int task = 0; task < 10_000; task++) {
            walks.begin(task);
        }
        walks.found(9_999, 10, NAME, inode(20));
        assertThat(walks.find(9_999, 20)).isNotNull();
        walks.found(0, 10, NAME, inode(20));
        assertThat(walks.find(0, 20)).isNull();
    }
}
