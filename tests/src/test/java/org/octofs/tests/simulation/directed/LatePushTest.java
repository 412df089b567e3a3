package org.octofs.tests.simulation.directed;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.Consistency;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.server.space.StripePlacement;
import org.octofs.tests.simulation.cluster.SimClient;
import org.octofs.tests.simulation.cluster.SimServer;
import org.octofs.tests.simulation.directed.Rig.Task;

/**
 * Goal: blocks whose node may still store what a client has given up are lent to nobody else. Method: the node rests and its messages take
 * longer than an operation may; the home of the blocks, which is another one, must not hear that the client has nothing under way.
 */
class LatePushTest {
    private static final int BLOCK = 4096;
    private static final int MESSAGES_SLOWER = 100_000_000;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    private Rig rig;
    private SimClient client;
    private SimServer home;
    private SimServer other;
    private OpenFile file;
    private long block;

    @BeforeEach
    void start() {
        rig = new Rig(2, Consistency.COHERENT, 11);
        client = rig.client();
        rig.call(
                client,
                () -> file = client.files().create(1, new byte[] {'f'}, 0644, 0, 0, OpenFlags.RDWR, new Attributes()));
        int homeNode = rig.cluster.map().homeOf(InodeNumber.shard(file.ino()));
        home = rig.cluster.servers().get(homeNode);
        other = rig.cluster.servers().get(1 - homeNode);
        block = StripePlacement.UNIT_BLOCKS;
        while (StripePlacement.node(file.ino(), block, homeNode, 2) == homeNode) {
            block += StripePlacement.UNIT_BLOCKS;
        }
        // The home has blocks of the other node once it has asked for some.
        do {
            assertThat(++block % StripePlacement.UNIT_BLOCKS).isNotZero();
            rig.call(client, () -> {
                write();
                client.files().fsync(file, false);
            });
        } while (!isAtOther());
        block++;
    }

    private void write() throws FsException {
        byte[] bytes = new byte[BLOCK];
        MemorySegment.ofArray(bytes).set(WORD, 0, mark());
        client.files().write(file, block * BLOCK, MemorySegment.ofArray(bytes), 0, BLOCK);
    }

    private long mark() {
        return 0x5EED_0000_0000_0000L + block;
    }

    private boolean isAtOther() {
        MemorySegment pool = other.server().state().store().medium().memory();
        boolean found = false;
        for (long at = 0; at < pool.byteSize(); at += BLOCK) {
            found |= pool.get(WORD, at) == mark();
        }
        return found;
    }

    private int sessions() {
        return home.server().state().sessionTable().size();
    }

    private void giveUpAPush() {
        other.process().pause(Rig.LEASE / 2);
        rig.cluster.network().slow(other.process(), MESSAGES_SLOWER);
        Task write = rig.go(client, this::write);
        rig.until(write::isDone);
        assertThat(write.failure()).isNotNull();
    }

    private void leave() {
        Task close = rig.go(client, () -> client.files().close());
        rig.until(close::isDone);
    }

    @Test
    void aClientThatHasGivenUpAPushSaysNoGoodbye() {
        int before = sessions();
        giveUpAPush();
        leave();
        assertThat(sessions()).isEqualTo(before);
    }
}
