package org.octofs.tests.model;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.tests.model.HistoryChecker.NotLinearizableException;

/** Histories that the checker must take, and known-bad ones that it must not. */
class HistoryCheckerTest {
    private static final long ROOT = 1;

    private HistoryChecker checker;
    private int nextId = 1;

    @BeforeEach
    void start() {
        checker = new HistoryChecker(new FsModel(false, (client, ino) -> true), FsState.empty(0755));
    }

    private Op op(int client, OpKind kind, long ino, String name, int errno) {
        Op op = new Op(nextId++, client, kind);
        op.ino = ino;
        op.name = name;
        op.errno = errno;
        return op;
    }

    private Op create(int client, String name, long ino) {
        Op op = op(client, OpKind.CREATE, ROOT, name, 0);
        op.flags = 1;
        op.mode = 0644;
        op.resultIno = ino;
        return op;
    }

    private Op lookup(int client, String name, long ino) {
        Op op = op(client, OpKind.LOOKUP, ROOT, name, ino == 0 ? Errno.ENOENT.value : 0);
        op.resultIno = ino;
        op.resultMode = FileMode.REGULAR | 0644;
        return op;
    }

    private Op rename(int client, String from, String to) {
        Op op = op(client, OpKind.RENAME, ROOT, from, 0);
        op.newParent = ROOT;
        op.newName = to;
        return op;
    }

    private Op data(int client, OpKind kind, long ino, int value) {
        Op op = op(client, kind, ino, "", 0);
        op.length = 8;
        byte[] bytes = new byte[8];
        java.util.Arrays.fill(bytes, (byte) value);
        op.data = bytes;
        op.resultBytes = bytes;
        op.resultSize = bytes.length;
        return op;
    }

    private void alone(Op op) {
        checker.begin(op);
        checker.end(op);
    }

    @Test
    void takesConcurrentCallsInTheOrderThatFits() {
        alone(create(1, "a", 5));
        Op rename = rename(1, "a", "b");
        Op before = lookup(2, "a", 5);
        checker.begin(rename);
        checker.begin(before);
        checker.end(before);
        alone(lookup(3, "b", 5));
        assertThatCode(() -> checker.end(rename)).doesNotThrowAnyException();
    }

    @Test
    void rejectsANameThatComesBackAfterItWasSeenGone() {
        alone(create(1, "a", 5));
        Op rename = rename(1, "a", "b");
        checker.begin(rename);
        alone(lookup(2, "b", 5));
        assertThatThrownBy(() -> alone(lookup(3, "a", 5))).isInstanceOf(NotLinearizableException.class);
    }

    @Test
    void rejectsTwoWinnersOfAnExclusiveCreate() {
        Op one = create(1, "a", 5);
        Op two = create(2, "a", 6);
        checker.begin(one);
        checker.begin(two);
        checker.end(one);
        assertThatThrownBy(() -> checker.end(two)).isInstanceOf(NotLinearizableException.class);
    }

    @Test
    void rejectsAStaleRead() {
        alone(create(1, "a", 5));
        alone(data(1, OpKind.WRITE, 5, 1));
        alone(data(1, OpKind.WRITE, 5, 2));
        alone(data(2, OpKind.READ, 5, 2));
        assertThatThrownBy(() -> alone(data(2, OpKind.READ, 5, 1))).isInstanceOf(NotLinearizableException.class);
    }

    @Test
    void aCallOfUnknownOutcomeMayHappenLateOrNever() {
        alone(create(1, "a", 5));
        Op lost = op(1, OpKind.UNLINK, ROOT, "a", Op.UNKNOWN);
        checker.begin(lost);
        checker.end(lost);
        alone(lookup(2, "a", 5));
        alone(lookup(2, "a", 0));
        assertThatThrownBy(() -> alone(lookup(2, "a", 5))).isInstanceOf(NotLinearizableException.class);
    }

    @Test
    void aForgottenCallMayHaveHappenedThoughNobodyHasSeenIt() {
        Op lost = create(1, "a", 0);
        lost.errno = Op.UNKNOWN;
        checker.begin(lost);
        checker.end(lost);
        checker.forget(lost);
        alone(lookup(2, "a", 9));
        assertThatThrownBy(() -> alone(lookup(2, "a", 0))).isInstanceOf(NotLinearizableException.class);
    }

    @Test
    void aCallWithNothingToDoMayHaveWaitedForSomething() {
        alone(create(1, "a", 5));
        Op punch = data(1, OpKind.PUNCH, 5, 0);
        Op write = data(2, OpKind.WRITE, 5, 1);
        checker.begin(punch);
        checker.begin(write);
        checker.end(write);
        checker.end(punch);
        alone(data(1, OpKind.READ, 5, 0));
    }

    @Test
    void callsOfUnknownOutcomeOnOtherFilesDoNotMultiply() {
        for (int i = 0; i < 20; i++) {
            alone(create(1, "f" + i, 5 + i));
        }
        for (int i = 0; i < 19; i++) {
            Op lost = data(1, OpKind.WRITE, 5 + i, 1);
            lost.errno = Op.UNKNOWN;
            checker.begin(lost);
            checker.end(lost);
        }
        alone(data(2, OpKind.WRITE, 24, 2));
        assertThatThrownBy(() -> alone(data(2, OpKind.READ, 24, 1))).isInstanceOf(NotLinearizableException.class);
    }

    @Test
    void callsThatMeetOverAThirdAreOrdered() {
        alone(create(1, "a", 5));
        alone(create(1, "b", 6));
        Op copy = op(1, OpKind.COPY, 6, "", 0);
        copy.source = 5;
        copy.length = 8;
        copy.resultCount = 8;
        checker.begin(copy);
        Op write = data(2, OpKind.WRITE, 5, 7);
        checker.begin(write);
        alone(data(3, OpKind.READ, 6, 7));
        checker.end(write);
        checker.end(copy);
    }

    @Test
    void rejectsAnAppendThatWentElsewhere() {
        alone(create(1, "a", 5));
        Op append = data(1, OpKind.APPEND, 5, 1);
        append.resultCount = 8;
        alone(append);
        Op second = data(1, OpKind.APPEND, 5, 1);
        second.resultCount = 8;
        second.resultSize = 17;
        assertThatThrownBy(() -> alone(second)).isInstanceOf(NotLinearizableException.class);
    }

    @Test
    void aCreateOfUnknownOutcomeGetsItsNumberWhenItIsSeen() {
        Op lost = create(1, "a", 0);
        lost.errno = Op.UNKNOWN;
        checker.begin(lost);
        alone(lookup(2, "a", 0));
        alone(lookup(2, "a", 9));
        assertThatThrownBy(() -> alone(lookup(2, "a", 8))).isInstanceOf(NotLinearizableException.class);
    }
}
