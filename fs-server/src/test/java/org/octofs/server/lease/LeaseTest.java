package org.octofs.server.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.octofs.rpc.protocol.AttributeMask;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.LeaseTimes;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.LeaseKind;
import org.octofs.rpc.protocol.message.LeaseRequest;
import org.octofs.rpc.protocol.message.LookupRequest;
import org.octofs.rpc.protocol.message.RecallFlags;
import org.octofs.rpc.protocol.message.RecallsReply;
import org.octofs.rpc.protocol.message.RecallsRequest;
import org.octofs.rpc.protocol.message.SetAttributesRequest;
import org.octofs.server.testing.TestClient;
import org.octofs.server.testing.TestServer;

/**
 * Goal: nothing that a client's kernel may keep is changed for others before the client has dropped it, or its time is over; and
 * nobody waits longer. Method: one client holds leases, another changes things, and the clock is looked at.
 */
class LeaseTest {
    private static final long ROOT = InodeNumber.ROOT;
    private static final int WAIT_MILLIS = 30_000;
    private static final long MILLI = 1_000_000L;

    private final TestServer world = TestServer.create();
    private final TestClient holder = world.connect(11);
    private final TestClient changer = world.connect(12);
    private long wordOffset;
    private long told;
    private final List<Recalled> recalls = new ArrayList<>();

    private record Recalled(long number, long ino, int kind, String name) {}

    @AfterEach
    void close() {
        world.close();
    }

    private Errno recalls(int flags, int waitMillis, long... dropped) {
        beginRecalls(flags, waitMillis, dropped);
        world.until(holder::isFinished);
        return takeRecalls();
    }

    private void beginRecalls(int flags, int waitMillis, long... dropped) {
        holder.begin(OpCode.RECALLS, body -> {
            RecallsRequest message =
                    new RecallsRequest().wrap(body).flags(flags).waitMillis(waitMillis);
            message.droppedCount(dropped.length);
            for (int i = 0; i < dropped.length; i++) {
                body.putU64(message.dropped(i), dropped[i]);
            }
            return message.bodyBytes();
        });
    }

    private Errno takeRecalls() {
        Errno outcome = holder.outcome();
        if (outcome != Errno.OK) {
            return outcome;
        }
        MessageBuffer body = holder.reply();
        RecallsReply reply = new RecallsReply().wrap(body);
        if (reply.wordOffset() != 0) {
            wordOffset = reply.wordOffset();
            told = reply.word();
        }
        int at = reply.recallsOffset();
        for (int i = 0; i < reply.recallCount(); i++) {
            byte[] name = new byte[body.getI32(at + 20)];
            body.getBytes(at + 24, name, 0, name.length);
            recalls.add(new Recalled(
                    body.getU64(at),
                    body.getU64(at + 8),
                    body.getI32(at + 16),
                    new String(name, StandardCharsets.UTF_8)));
            at += 24 + (name.length + 7 & ~7);
        }
        return Errno.OK;
    }

    private Errno lease(TestClient client, long ino, int kind) {
        return client.call(OpCode.LEASE, body -> {
            new LeaseRequest().wrap(body).ino(ino).kind(kind).reserved(0);
            return LeaseRequest.FIXED_BYTES;
        });
    }

    private long leasedFile(String name) {
        long ino = changer.newFile(ROOT, name);
        if (wordOffset == 0) {
            assertThat(recalls(RecallFlags.BEGIN, 0)).isEqualTo(Errno.OK);
        }
        assertThat(lease(holder, ino, LeaseKind.ATTRIBUTES)).isEqualTo(Errno.OK);
        return ino;
    }

    private void beginChmod(long ino) {
        changer.begin(OpCode.SETATTR, body -> {
            body.zero(0, SetAttributesRequest.FIXED_BYTES);
            new SetAttributesRequest()
                    .wrap(body)
                    .ino(ino)
                    .valid(AttributeMask.MODE)
                    .mode(0x180);
            return SetAttributesRequest.FIXED_BYTES;
        });
    }

    private void beginTouch(long ino) {
        changer.begin(OpCode.SETATTR, body -> {
            body.zero(0, SetAttributesRequest.FIXED_BYTES);
            new SetAttributesRequest().wrap(body).ino(ino).valid(AttributeMask.MTIME | AttributeMask.MTIME_NOW);
            return SetAttributesRequest.FIXED_BYTES;
        });
    }

    private void beginUnlink(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        changer.begin(
                OpCode.UNLINK,
                body -> new LookupRequest()
                        .wrap(body)
                        .parent(ROOT)
                        .name(bytes, 0, bytes.length)
                        .bodyBytes());
    }

    private long word() {
        return world.server().state().store().readLong(wordOffset);
    }

    private int mode(long ino) {
        assertThat(holder.getAttributes(ino)).isEqualTo(Errno.OK);
        return holder.inode().mode() & 0xFFF;
    }

    @Test
    void aChangeWaitsUntilTheHolderHasDroppedIt() {
        long ino = leasedFile("a");
        assertThat(word()).isEqualTo(told);
        beginRecalls(0, WAIT_MILLIS);
        beginChmod(ino);
        world.until(holder::isFinished);
        takeRecalls();
        assertThat(recalls).hasSize(1);
        assertThat(recalls.getFirst().ino()).isEqualTo(ino);
        assertThat(recalls.getFirst().kind()).isEqualTo(LeaseKind.ATTRIBUTES);
        world.pass(100 * MILLI);
        assertThat(changer.isFinished()).isFalse();
        assertThat(mode(ino)).isEqualTo(0x1A4);
        assertThat(recalls(0, 0, recalls.getFirst().number())).isEqualTo(Errno.OK);
        world.until(changer::isFinished);
        assertThat(changer.outcome()).isEqualTo(Errno.OK);
        assertThat(mode(ino)).isEqualTo(0x180);
        assertThat(word()).isEqualTo(told);
        assertThat(world.server().state().leases().size()).isZero();
    }

    @Test
    void theWordSaysThatThereIsSomethingToHearOfBeforeItIsHeard() {
        long ino = leasedFile("a");
        beginChmod(ino);
        world.pass(10 * MILLI);
        assertThat(word()).isNotEqualTo(told);
        assertThat(changer.isFinished()).isFalse();
    }

    @Test
    void aHolderWithoutAnAnswerCostsPatienceAndNotMore() {
        long ino = leasedFile("a");
        long start = world.clock().monotonicNanos();
        beginChmod(ino);
        world.until(changer::isFinished);
        assertThat(world.clock().monotonicNanos() - start)
                .isBetween(LeaseTimes.PATIENCE_NANOS, LeaseTimes.PATIENCE_NANOS + 20 * MILLI);
        assertThat(changer.outcome()).isEqualTo(Errno.OK);
        assertThat(world.server().state().leases().unanswered()).isEqualTo(1);
        // It was not told of it, and has to begin anew.
        assertThat(recalls(0, WAIT_MILLIS)).isEqualTo(Errno.ESTALE);
        assertThat(recalls(RecallFlags.BEGIN, 0)).isEqualTo(Errno.OK);
        assertThat(word()).isEqualTo(told);
    }

    @Test
    void aHolderThatIsAwayIsWaitedForOnceAndNotForEachOfItsLeases() {
        List<Long> files = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            files.add(leasedFile("file" + i));
        }
        long start = world.clock().monotonicNanos();
        for (long ino : files) {
            beginChmod(ino);
            world.until(changer::isFinished);
            assertThat(changer.outcome()).isEqualTo(Errno.OK);
        }
        assertThat(world.clock().monotonicNanos() - start).isLessThan(2 * LeaseTimes.PATIENCE_NANOS + 50 * MILLI);
    }

    @Test
    void namesThatTwoClientsWaitedForAreNotKeptForAWhile() {
        changer.newFile(ROOT, "a");
        recalls(RecallFlags.BEGIN, 0);
        assertThat(lease(holder, ROOT, LeaseKind.NAMES)).isEqualTo(Errno.OK);
        beginRecalls(0, WAIT_MILLIS);
        beginUnlink("a");
        world.until(holder::isFinished);
        // It lives, and cannot drop the name.
        beginRecalls(0, WAIT_MILLIS);
        world.until(changer::isFinished);
        assertThat(changer.outcome()).isEqualTo(Errno.OK);
        world.until(holder::isFinished);
        assertThat(holder.outcome()).isEqualTo(Errno.OK);
        assertThat(lease(holder, ROOT, LeaseKind.NAMES)).isEqualTo(Errno.EAGAIN);
        assertThat(lease(holder, ROOT, LeaseKind.ATTRIBUTES)).isEqualTo(Errno.OK);
        world.pass(31_000 * MILLI);
        assertThat(lease(holder, ROOT, LeaseKind.NAMES)).isEqualTo(Errno.OK);
    }

    @Test
    void itsOwnChangesDoNotWaitForAClient() {
        long ino = leasedFile("a");
        assertThat(holder.setAttributes(
                        ino, message -> message.valid(AttributeMask.MODE).mode(0x180)))
                .isEqualTo(Errno.OK);
        assertThat(word()).isEqualTo(told);
        assertThat(world.server().state().leases().size()).isEqualTo(1);
    }

    @Test
    void aNameIsRecalledByItself() {
        changer.newFile(ROOT, "a");
        changer.newFile(ROOT, "b");
        recalls(RecallFlags.BEGIN, 0);
        assertThat(lease(holder, ROOT, LeaseKind.NAMES)).isEqualTo(Errno.OK);
        // New names are nobody's.
        changer.newFile(ROOT, "c");
        long start = world.clock().monotonicNanos();
        beginRecalls(0, WAIT_MILLIS);
        beginUnlink("a");
        world.until(holder::isFinished);
        takeRecalls();
        assertThat(recalls).extracting(Recalled::name).containsExactly("a");
        recalls(0, 0, recalls.getFirst().number());
        world.until(changer::isFinished);
        assertThat(changer.outcome()).isEqualTo(Errno.OK);
        assertThat(world.clock().monotonicNanos() - start).isLessThan(100 * MILLI);
        // Another one may be kept until it is over by itself, though no new one is.
        beginUnlink("b");
        world.until(changer::isFinished);
        assertThat(changer.outcome()).isEqualTo(Errno.OK);
        assertThat(world.clock().monotonicNanos() - start)
                .isBetween(LeaseTimes.PATIENCE_NANOS, LeaseTimes.PATIENCE_NANOS + 20 * MILLI);
    }

    @Test
    void whatARenameReplacesIsRecalledWithAllThatItChanges() {
        long moved = leasedFile("a");
        long replaced = leasedFile("b");
        assertThat(lease(holder, ROOT, LeaseKind.NAMES)).isEqualTo(Errno.OK);
        assertThat(lease(holder, ROOT, LeaseKind.ATTRIBUTES)).isEqualTo(Errno.OK);
        beginRecalls(0, WAIT_MILLIS);
        changer.begin(
                OpCode.RENAME,
                body -> new org.octofs.rpc.protocol.message.RenameRequest()
                        .wrap(body)
                        .sourceParent(ROOT)
                        .targetParent(ROOT)
                        .flags(0)
                        .reserved(0)
                        .sourceName(new byte[] {'a'}, 0, 1)
                        .targetName(new byte[] {'b'}, 0, 1)
                        .bodyBytes());
        world.until(holder::isFinished);
        takeRecalls();
        assertThat(recalls)
                .extracting(Recalled::ino, Recalled::kind, Recalled::name)
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple(moved, LeaseKind.ATTRIBUTES, ""),
                        org.assertj.core.groups.Tuple.tuple(replaced, LeaseKind.ATTRIBUTES, ""),
                        org.assertj.core.groups.Tuple.tuple(ROOT, LeaseKind.ATTRIBUTES, ""),
                        org.assertj.core.groups.Tuple.tuple(ROOT, LeaseKind.NAMES, "a"),
                        org.assertj.core.groups.Tuple.tuple(ROOT, LeaseKind.NAMES, "b"));
        recalls(0, 0, recalls.stream().mapToLong(Recalled::number).toArray());
        world.until(changer::isFinished);
        assertThat(changer.outcome()).isEqualTo(Errno.OK);
    }

    @Test
    void aChangeOfRightsIsToldAlsoWhereAttributesWereDroppedAMomentAgo() {
        long ino = leasedFile("a");
        beginRecalls(0, WAIT_MILLIS);
        beginTouch(ino);
        world.until(holder::isFinished);
        takeRecalls();
        recalls(0, 0, recalls.stream().mapToLong(Recalled::number).toArray());
        world.until(changer::isFinished);
        recalls.clear();
        world.pass(30 * MILLI);
        assertThat(lease(holder, ino, LeaseKind.ATTRIBUTES)).as("kept anew").isEqualTo(Errno.OK);
        beginRecalls(0, WAIT_MILLIS);
        beginChmod(ino);
        world.until(holder::isFinished);
        takeRecalls();
        assertThat(recalls).extracting(Recalled::ino).containsExactly(ino, ino);
        assertThat(recalls).extracting(Recalled::name).containsOnly("\1");
        assertThat(changer.isFinished()).isFalse();
        recalls(0, 0, recalls.stream().mapToLong(Recalled::number).toArray());
        world.until(changer::isFinished);
        assertThat(changer.outcome()).isEqualTo(Errno.OK);
        assertThat(world.server().state().leases().size()).isZero();
    }

    @Test
    void nothingIsGrantedOnWhatIsBeingChanged() {
        long ino = leasedFile("a");
        beginChmod(ino);
        world.pass(5 * MILLI);
        TestClient third = world.connect(13);
        assertThat(third.call(
                        OpCode.RECALLS,
                        body -> new RecallsRequest()
                                .wrap(body)
                                .flags(RecallFlags.BEGIN)
                                .waitMillis(0)
                                .droppedCount(0)
                                .bodyBytes()))
                .isEqualTo(Errno.OK);
        assertThat(lease(third, ino, LeaseKind.ATTRIBUTES)).isEqualTo(Errno.EAGAIN);
        assertThat(world.server().state().locks().tryLock(ROOT, 5)).isTrue();
        assertThat(lease(third, ROOT, LeaseKind.NAMES)).isEqualTo(Errno.EAGAIN);
        world.server().state().locks().unlock(ROOT, 5);
        assertThat(lease(third, ROOT, LeaseKind.NAMES)).isEqualTo(Errno.OK);
    }

    @Test
    void leasesAreForClientsThatListen() {
        long ino = changer.newFile(ROOT, "a");
        assertThat(lease(holder, ino, LeaseKind.ATTRIBUTES)).isEqualTo(Errno.ESTALE);
        assertThat(recalls(0, 0)).isEqualTo(Errno.ESTALE);
        assertThat(lease(holder, ino, 7)).isEqualTo(Errno.EINVAL);
        recalls(RecallFlags.BEGIN, 0);
        assertThat(lease(holder, ino, LeaseKind.NAMES)).isEqualTo(Errno.ENOTDIR);
        assertThat(lease(holder, 999, LeaseKind.ATTRIBUTES)).isEqualTo(Errno.ESTALE);
    }

    @Test
    void whoBeginsAnewHoldsNothingButWhatItsKernelKeepsCounts() {
        long ino = leasedFile("a");
        long start = world.clock().monotonicNanos();
        recalls(RecallFlags.BEGIN, 0);
        assertThat(word()).isEqualTo(told);
        beginChmod(ino);
        world.until(changer::isFinished);
        assertThat(world.clock().monotonicNanos() - start).isGreaterThanOrEqualTo(LeaseTimes.PATIENCE_NANOS);
        lease(holder, ino, LeaseKind.ATTRIBUTES);
        recalls(RecallFlags.BEGIN | RecallFlags.NOTHING_KEPT, 0);
        start = world.clock().monotonicNanos();
        beginChmod(ino);
        world.until(changer::isFinished);
        assertThat(world.clock().monotonicNanos() - start).isLessThan(100 * MILLI);
    }

    @Test
    void aRestartedServerWaitsUntilWhatItHasGrantedIsOver() {
        long ino = leasedFile("a");
        long before = told;
        world.restart();
        long start = world.clock().monotonicNanos();
        assertThat(word()).isNotEqualTo(before);
        beginChmod(ino);
        world.until(changer::isFinished);
        assertThat(changer.outcome()).isEqualTo(Errno.OK);
        assertThat(world.clock().monotonicNanos() - start).isGreaterThanOrEqualTo(LeaseTimes.PATIENCE_NANOS);
    }

    @Test
    void aRestartedServerThatHasGrantedNothingDoesNotWait() {
        long ino = changer.newFile(ROOT, "a");
        world.restart();
        long start = world.clock().monotonicNanos();
        beginChmod(ino);
        world.until(changer::isFinished);
        assertThat(world.clock().monotonicNanos() - start).isLessThan(LeaseTimes.PATIENCE_NANOS / 2);
    }

    @Test
    void aServerThatIsRestartedAgainBeforeItHasWaitedWaitsToo() {
        long ino = leasedFile("a");
        world.restart();
        world.restart();
        long start = world.clock().monotonicNanos();
        beginChmod(ino);
        world.until(changer::isFinished);
        assertThat(world.clock().monotonicNanos() - start).isGreaterThanOrEqualTo(LeaseTimes.PATIENCE_NANOS);
        world.restart();
        start = world.clock().monotonicNanos();
        beginChmod(ino);
        world.until(changer::isFinished);
        assertThat(world.clock().monotonicNanos() - start)
                .as("nothing is left to wait for")
                .isLessThan(LeaseTimes.PATIENCE_NANOS / 2);
    }

    @Test
    void thatSomethingWasGrantedSurvivesACrash() {
        world.medium().startRecording();
        long ino = leasedFile("a");
        world.crashAndRestart();
        long start = world.clock().monotonicNanos();
        beginChmod(ino);
        world.until(changer::isFinished);
        assertThat(world.clock().monotonicNanos() - start).isGreaterThanOrEqualTo(LeaseTimes.PATIENCE_NANOS);
    }

    @Test
    void aClientThatGoesLeavesItsLeasesToPatience() {
        long ino = leasedFile("a");
        holder.begin(OpCode.GOODBYE, _ -> 0);
        world.until(() -> world.server().sessions().find(11) == null);
        long start = world.clock().monotonicNanos();
        beginChmod(ino);
        world.until(changer::isFinished);
        assertThat(world.clock().monotonicNanos() - start)
                .isBetween(LeaseTimes.PATIENCE_NANOS - 5 * MILLI, LeaseTimes.PATIENCE_NANOS + 20 * MILLI);
        assertThat(world.server().state().leases().size()).isZero();
    }
}
