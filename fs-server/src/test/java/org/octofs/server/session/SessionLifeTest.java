package org.octofs.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.ChangeReply;
import org.octofs.rpc.protocol.message.CreateRequest;
import org.octofs.rpc.protocol.message.EntryReply;
import org.octofs.rpc.protocol.message.LockRequest;
import org.octofs.rpc.protocol.message.LookupRequest;
import org.octofs.rpc.protocol.message.ReclaimRequest;
import org.octofs.server.lease.FileLocks;
import org.octofs.server.testing.TestClient;
import org.octofs.server.testing.TestServer;

/**
 * Goal: what a session holds lives as long as it, requests are executed once across restarts. Method: clients that vanish, a
 * server that restarts between the execution of a request and its answer.
 */
class SessionLifeTest {
    private static final long ROOT = InodeNumber.ROOT;

    private final TestServer world = TestServer.create();
    private final TestClient client = world.connect(11);

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void anUnlinkedFileLivesUntilItsLastClose() {
        long ino = client.newFile(ROOT, "a");
        assertThat(client.open(ino)).isEqualTo(Errno.OK);
        assertThat(client.open(ino)).isEqualTo(Errno.OK);
        assertThat(client.unlink(ROOT, "a")).isEqualTo(Errno.OK);
        assertThat(client.getAttributes(ino)).isEqualTo(Errno.OK);
        assertThat(client.inode().nlink()).isZero();
        assertThat(client.close(ino)).isEqualTo(Errno.OK);
        world.pass(1_000_000_000L);
        assertThat(client.getAttributes(ino)).isEqualTo(Errno.OK);
        assertThat(client.close(ino)).isEqualTo(Errno.OK);
        world.pass(1_000_000_000L);
        assertThat(client.getAttributes(ino)).isEqualTo(Errno.ESTALE);
        assertThat(world.server().state().orphans().size()).isZero();
    }

    @Test
    void anOrphanThatATransactionHoldsWaits() {
        long ino = client.newFile(ROOT, "a");
        assertThat(client.open(ino)).isEqualTo(Errno.OK);
        assertThat(client.unlink(ROOT, "a")).isEqualTo(Errno.OK);
        assertThat(world.server().state().locks().tryLock(ino, 5)).isTrue();
        assertThat(client.close(ino)).isEqualTo(Errno.OK);
        world.pass(1_000_000_000L);
        assertThat(world.server().state().orphans().contains(ino)).isTrue();
        world.server().state().locks().unlock(ino, 5);
        world.pass(1_000_000_000L);
        assertThat(world.server().state().orphans().contains(ino)).isFalse();
        assertThat(client.open(ino)).isEqualTo(Errno.ESTALE);
    }

    @Test
    void aSilentClientLosesItsOpensAfterTheLeaseAndNotBefore() {
        TestClient other = world.connect(12);
        long ino = other.newFile(ROOT, "a");
        assertThat(other.open(ino)).isEqualTo(Errno.OK);
        assertThat(client.unlink(ROOT, "a")).isEqualTo(Errno.OK);
        world.silence(other);
        world.pass(25_000_000_000L);
        assertThat(client.getAttributes(ino)).isEqualTo(Errno.OK);
        assertThat(world.server().sessions().find(12)).isNotNull();
        world.pass(7_000_000_000L);
        assertThat(world.server().sessions().find(12)).isNull();
        assertThat(client.getAttributes(ino)).isEqualTo(Errno.ESTALE);
        assertThat(world.server().state().sessionTable().size()).isEqualTo(1);
        world.hear(other);
        world.pass(3_000_000_000L);
        assertThat(other.rpc().isConnected()).as("a fenced client comes back").isFalse();
    }

    @Test
    void aClientThatWasIdleHasTheWholeLeaseToComeBack() {
        TestClient other = world.connect(12);
        world.pass(100_000_000_000L);
        world.silence(other);
        world.pass(25_000_000_000L);
        assertThat(world.server().sessions().find(12)).isNotNull();
        world.hear(other);
        world.until(() -> other.rpc().isConnected());
    }

    @Test
    void aDeadClientLosesItsOpensAtOnce() {
        TestClient other = world.connect(12);
        long ino = other.newFile(ROOT, "a");
        assertThat(other.open(ino)).isEqualTo(Errno.OK);
        assertThat(client.unlink(ROOT, "a")).isEqualTo(Errno.OK);
        world.forget(other);
        world.pass(500_000_000L);
        assertThat(world.server().sessions().find(12)).isNull();
        assertThat(client.getAttributes(ino)).isEqualTo(Errno.ESTALE);
    }

    @Test
    void goodbyeEndsASessionAtOnce() {
        TestClient other = world.connect(12);
        long ino = other.newFile(ROOT, "a");
        assertThat(other.open(ino)).isEqualTo(Errno.OK);
        assertThat(client.unlink(ROOT, "a")).isEqualTo(Errno.OK);
        other.begin(OpCode.GOODBYE, _ -> 0);
        world.until(() -> world.server().sessions().find(12) == null);
        world.forget(other);
        world.pass(100_000_000L);
        assertThat(client.getAttributes(ino)).isEqualTo(Errno.ESTALE);
    }

    /** What was under way when the server died comes again before the client has told what it held: it is not done twice, nor undone. */
    @Test
    void whatChangesWhatIsHeldWaitsUntilItWasTold() {
        long kept = client.newFile(ROOT, "a");
        assertThat(client.open(kept)).isEqualTo(Errno.OK);
        world.restart();
        assertThat(client.open(kept)).isEqualTo(Errno.ENOT_READY);
        assertThat(client.close(kept)).isEqualTo(Errno.ENOT_READY);
        assertThat(client.create(ROOT, "b")).isEqualTo(Errno.ENOT_READY);
        assertThat(client.call(
                        OpCode.LOCK,
                        body -> new LockRequest()
                                .wrap(body)
                                .ino(kept)
                                .owner(1)
                                .start(0)
                                .end(1)
                                .type(FileLocks.UNLOCK)
                                .flags(0)
                                .pid(1)
                                .reserved(0)
                                .bodyBytes()))
                .isEqualTo(Errno.ENOT_READY);
        assertThat(client.getAttributes(kept)).as("others are served").isEqualTo(Errno.OK);
        assertThat(reclaim(kept)).isEqualTo(Errno.OK);
        assertThat(client.create(ROOT, "b")).isEqualTo(Errno.OK);
        assertThat(client.unlink(ROOT, "a")).isEqualTo(Errno.OK);
        world.pass(1_000_000_000L);
        assertThat(client.getAttributes(kept)).as("open as it was told").isEqualTo(Errno.OK);
    }

    private Errno reclaim(long open) {
        return client.call(OpCode.RECLAIM, body -> {
            ReclaimRequest message =
                    new ReclaimRequest().wrap(body).last(1).reserved(0).opensCount(1);
            body.putU64(message.opens(0), open);
            body.putU64(message.opens(0) + 8, 1);
            message.locksCount(0);
            return message.bodyBytes();
        });
    }

    @Test
    void orphansWaitForOpensToBeToldAgain() {
        long kept = client.newFile(ROOT, "kept");
        long dropped = client.newFile(ROOT, "dropped");
        client.open(kept);
        client.open(dropped);
        client.unlink(ROOT, "kept");
        client.unlink(ROOT, "dropped");
        world.restart();
        world.pass(5_000_000_000L);
        assertThat(client.getAttributes(dropped))
                .as("not freed before the client has told")
                .isEqualTo(Errno.OK);
        assertThat(reclaim(kept)).isEqualTo(Errno.OK);
        world.pass(1_000_000_000L);
        assertThat(client.getAttributes(kept)).isEqualTo(Errno.OK);
        assertThat(client.getAttributes(dropped)).isEqualTo(Errno.ESTALE);
        assertThat(client.close(kept)).isEqualTo(Errno.OK);
        world.pass(1_000_000_000L);
        assertThat(client.getAttributes(kept)).isEqualTo(Errno.ESTALE);
    }

    @Test
    void aFileMayBeRemovedBeforeWhoHasItOpenHasToldSo() {
        TestClient other = world.connect(12);
        long kept = client.newFile(ROOT, "kept");
        client.open(kept);
        assertThat(other.getAttributes(ROOT)).isEqualTo(Errno.OK);
        world.restart();
        assertThat(other.unlink(ROOT, "kept")).isEqualTo(Errno.OK);
        assertThat(client.getAttributes(kept)).isEqualTo(Errno.OK);
        world.pass(1_000_000_000L);
        assertThat(client.getAttributes(kept)).isEqualTo(Errno.OK);
    }

    @Test
    void aRequestWhoseAnswerWasLostIsNotExecutedTwice() {
        world.medium().startRecording();
        client.newFile(ROOT, "a");
        byte[] name = {'a'};
        client.begin(
                OpCode.UNLINK,
                body -> new LookupRequest()
                        .wrap(body)
                        .parent(ROOT)
                        .name(name, 0, 1)
                        .bodyBytes());
        // The server executes it, and is killed before its answer gets through.
        long before = world.server().dispatcher().count(OpCode.UNLINK);
        world.untilServerOnly(() -> world.server().dispatcher().count(OpCode.UNLINK) > before);
        world.crashAndRestart();
        world.until(client::isFinished);
        assertThat(client.outcome())
                .as("the second execution would have found nothing")
                .isEqualTo(Errno.OK);
        assertThat(world.server().dispatcher().count(OpCode.UNLINK)).isZero();
        // Others may have changed the name since, so it must not be taken for how the directory is now.
        assertThat(new ChangeReply().wrap(client.reply()).parentVersion()).isZero();
        assertThat(client.lookup(ROOT, "a")).isEqualTo(Errno.ENOENT);
    }

    @Test
    void whatIsAnsweredAgainIsNoNewsOfTheDirectory() {
        world.medium().startRecording();
        client.newFile(ROOT, "b");
        byte[] name = {'a'};
        client.begin(
                OpCode.CREATE,
                body -> new CreateRequest()
                        .wrap(body)
                        .parent(ROOT)
                        .mode(FileMode.REGULAR | 0644)
                        .uid(0)
                        .gid(0)
                        .flags(0)
                        .rdev(0)
                        .name(name, 0, 1)
                        .target(name, 0, 0)
                        .bodyBytes());
        long before = world.server().dispatcher().count(OpCode.CREATE);
        world.untilServerOnly(() -> world.server().dispatcher().count(OpCode.CREATE) > before);
        world.crashAndRestart();
        world.until(client::isFinished);
        assertThat(client.outcome()).isEqualTo(Errno.OK);
        EntryReply reply = new EntryReply().wrap(client.reply());
        assertThat(reply.ino()).isNotZero();
        assertThat(reply.parentVersion()).isZero();
    }

    @Test
    void aFullTableRefusesWithWords() {
        int capacity = world.server().state().sessionTable().capacity();
        assertThat(client.getAttributes(ROOT)).isEqualTo(Errno.OK);
        for (int i = 1; i < capacity; i++) {
            assertThat(world.connect(100 + i).getAttributes(ROOT)).isEqualTo(Errno.OK);
        }
        TestClient tooMany = world.connect(1000);
        world.pass(1_000_000_000L);
        assertThat(tooMany.rpc().isConnected()).isFalse();
        assertThat(client.getAttributes(ROOT)).isEqualTo(Errno.OK);
    }
}
