package org.octofs.server.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.octofs.pmem.PoolCorruptException;
import org.octofs.pmem.medium.Progress;
import org.octofs.pmem.medium.RecordingMedium;
import org.octofs.pmem.pool.GeometryOptions;
import org.octofs.pmem.pool.PoolFormatter;
import org.octofs.pmem.pool.PoolIdentity;
import org.octofs.rpc.cluster.ClusterHello;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.RegionsReply;
import org.octofs.server.testing.TestClient;
import org.octofs.server.testing.TestServer;

/** Goal: a server serves what it should and refuses the rest, changing nothing. Method: whole servers over wrong pools and hellos. */
class FsServerStartTest {
    @Test
    void clientsOfAnotherClusterAreRefused() {
        try (TestServer world = TestServer.create()) {
            TestClient other =
                    world.connect(5, ClusterHello.client(new UUID(1, 2)).encode());
            TestClient nonsense = world.connect(6, new byte[] {1, 2, 3});
            world.pass(2_000_000_000L);
            assertThat(other.rpc().isConnected()).isFalse();
            assertThat(nonsense.rpc().isConnected()).isFalse();
            assertThat(world.server().state().sessionTable().size()).isZero();
        }
    }

    @Test
    void aPoolOfAnotherShapeIsRefused() {
        RecordingMedium medium = new RecordingMedium(4 << 20);
        PoolFormatter.format(
                medium,
                new PoolIdentity(TestServer.MAP.id(), 0, 1, 8),
                GeometryOptions.tinyDefaults(),
                1,
                Progress.NONE);
        assertThatThrownBy(() -> TestServer.over(medium.memory()))
                .hasMessageContaining("1 nodes and 8 shards")
                .hasMessageContaining("4 shards");
    }

    @Test
    void aDamagedInodeIsNamedWithItsPlace() {
        try (TestServer world = TestServer.create()) {
            TestClient client = world.connect(5);
            client.newFile(InodeNumber.ROOT, "a");
            long slot = client.entry().slotOffset();
            MemorySegment pool = world.medium().memory();
            world.server().close();
            pool.set(ValueLayout.JAVA_BYTE, slot + InodeLayout.UID_OFFSET, (byte) 99);
            assertThatThrownBy(() -> TestServer.over(pool))
                    .isInstanceOf(PoolCorruptException.class)
                    .hasMessageContaining("checksum of an inode")
                    .hasMessageContaining(Long.toString(slot + InodeLayout.CHECKSUM_OFFSET));
        }
    }

    @Test
    void clientsAreToldOfMetadataDataAndTheirWordsOnly() {
        try (TestServer world = TestServer.create()) {
            TestClient client = world.connect(5);
            assertThat(client.call(OpCode.REGIONS, _ -> 0)).isEqualTo(Errno.OK);
            RegionsReply reply = new RegionsReply().wrap(client.reply());
            assertThat(reply.incarnation()).isEqualTo(1);
            assertThat(reply.regionsCount()).isEqualTo(3);
            assertThat(client.reply().getU32(reply.regions(0) + 24)).isEqualTo(ExportedRegions.KIND_METADATA);
            assertThat(client.reply().getU32(reply.regions(1) + 24)).isEqualTo(ExportedRegions.KIND_DATA);
            assertThat(client.reply().getU32(reply.regions(2) + 24)).isEqualTo(ExportedRegions.KIND_LEASE_WORDS);
        }
    }

    @Test
    void everyStartIsAnotherIncarnationAndKeepsEverything() {
        try (TestServer world = TestServer.create()) {
            TestClient client = world.connect(5);
            long ino = client.newFile(InodeNumber.ROOT, "a");
            world.restart();
            assertThat(client.lookup(InodeNumber.ROOT, "a")).isEqualTo(Errno.OK);
            assertThat(client.entry().ino()).isEqualTo(ino);
            assertThat(client.call(OpCode.REGIONS, _ -> 0)).isEqualTo(Errno.OK);
            assertThat(new RegionsReply().wrap(client.reply()).incarnation()).isEqualTo(2);
            long next = world.connect(6).newFile(InodeNumber.ROOT, "b");
            assertThat(next).as("no number is given by two lives").isGreaterThan(ino + 1);
        }
    }

    @Test
    void aStartThatEndsAfterRecoveryLeavesThePoolClosedInOrder() {
        try (TestServer world = TestServer.create()) {
            long ino = world.connect(5).newFile(InodeNumber.ROOT, "a");
            world.restartAfterOneInVain();
            assertThat(world.pool().wasCleanShutdown()).isTrue();
            TestClient client = world.connect(6);
            assertThat(client.lookup(InodeNumber.ROOT, "a")).isEqualTo(Errno.OK);
            assertThat(client.entry().ino()).isEqualTo(ino);
        }
    }
}
