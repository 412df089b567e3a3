package org.octofs.server.data;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.LockReply;
import org.octofs.rpc.protocol.message.LockRequest;
import org.octofs.rpc.protocol.message.PersistRequest;
import org.octofs.server.lease.FileLock;
import org.octofs.server.lease.FileLocks;
import org.octofs.server.lease.LockHandler;

/** Goal: each answer of LOCK and PERSIST. Method: requests against one node. */
class LockAndPersistTest {
    private final DataNode node = DataNode.create();
    private final long ino = node.createFile(0);
    private boolean reclaimed = true;
    private final FileLocks locks = new FileLocks(() -> reclaimed);

    LockAndPersistTest() {
        node.dispatcher.register(OpCode.LOCK, new LockHandler(locks));
    }

    private TestRequest lock(long client, long file, long start, long end, int type, int flags) {
        TestRequest request = node.request(OpCode.LOCK, client, LockRequest.FIXED_BYTES);
        new LockRequest()
                .wrap(request.body())
                .ino(file)
                .owner(1)
                .start(start)
                .end(end)
                .type(type)
                .flags(flags)
                .pid((int) client)
                .reserved(0);
        return node.run(request);
    }

    @Test
    void grantsTestsAndReportsWhoIsInTheWay() {
        assertThat(lock(1, ino, 10, 20, FileLocks.WRITE_LOCK, 0).errno()).isZero();
        TestRequest refused = lock(2, ino, 15, Long.MAX_VALUE, FileLocks.READ_LOCK, 0);
        assertThat(refused.errno()).isEqualTo(Errno.EAGAIN.value);
        LockReply reply = new LockReply().wrap(refused.answer());
        assertThat(reply.start()).isEqualTo(10);
        assertThat(reply.end()).isEqualTo(20);
        assertThat(reply.type()).isEqualTo(FileLocks.WRITE_LOCK);
        assertThat(reply.pid()).isEqualTo(1);
        TestRequest tested = lock(2, ino, 15, 15, FileLocks.READ_LOCK, FileLocks.FLAG_TEST);
        assertThat(tested.errno()).isZero();
        assertThat(new LockReply().wrap(tested.answer()).type()).isEqualTo(FileLocks.WRITE_LOCK);
        // flock knows nothing of it.
        assertThat(lock(2, ino, 0, Long.MAX_VALUE, FileLocks.WRITE_LOCK, FileLocks.FLAG_FLOCK)
                        .errno())
                .isZero();
        assertThat(lock(1, ino, 0, Long.MAX_VALUE, FileLocks.UNLOCK, 0).errno()).isZero();
        tested = lock(2, ino, 15, 15, FileLocks.READ_LOCK, FileLocks.FLAG_TEST);
        assertThat(new LockReply().wrap(tested.answer()).type()).isEqualTo(FileLocks.UNLOCK);
        locks.clientGone(2);
        assertThat(lock(3, ino, 0, 5, FileLocks.WRITE_LOCK, FileLocks.FLAG_FLOCK)
                        .errno())
                .isZero();
    }

    @Test
    void refusesNonsense() {
        assertThat(lock(1, ino, 0, 1, 3, 0).errno()).isEqualTo(Errno.EINVAL.value);
        assertThat(lock(1, ino, 0, 1, FileLocks.READ_LOCK, 8).errno()).isEqualTo(Errno.EINVAL.value);
        assertThat(lock(1, ino, 2, 1, FileLocks.READ_LOCK, 0).errno()).isEqualTo(Errno.EINVAL.value);
        assertThat(lock(1, ino, -1, 1, FileLocks.READ_LOCK, 0).errno()).isEqualTo(Errno.EINVAL.value);
        assertThat(lock(1, ino + 9, 0, 1, FileLocks.READ_LOCK, 0).errno()).isEqualTo(Errno.ESTALE.value);
        assertThat(lock(1, InodeNumber.of(DataNode.SHARDS, 1), 0, 1, FileLocks.READ_LOCK, 0)
                        .errno())
                .isEqualTo(Errno.ENOT_HOME.value);
        long at = 0;
        while (lock(1, ino, at, at, FileLocks.WRITE_LOCK, 0).errno() == 0) {
            at += 2;
        }
        assertThat(lock(1, ino, at, at, FileLocks.WRITE_LOCK, 0).errno()).isEqualTo(Errno.ENOLCK.value);
    }

    @Test
    void grantsNothingNewBeforeEverybodyHasToldTheirLocks() {
        reclaimed = false;
        assertThat(locks.reclaim(ino, new FileLock(1, 1, 0, 9, true, 1), 0)).isTrue();
        assertThat(lock(2, ino, 100, 109, FileLocks.WRITE_LOCK, 0).errno()).isEqualTo(Errno.ENOT_READY.value);
        assertThat(lock(2, ino, 100, 109, FileLocks.WRITE_LOCK, FileLocks.FLAG_TEST)
                        .errno())
                .isEqualTo(Errno.ENOT_READY.value);
        assertThat(lock(2, ino, 0, 4, FileLocks.WRITE_LOCK, 0).errno())
                .as("told already")
                .isEqualTo(Errno.EAGAIN.value);
        assertThat(lock(1, ino, 0, 4, FileLocks.UNLOCK, 0).errno()).isZero();
        reclaimed = true;
        assertThat(lock(2, ino, 0, 4, FileLocks.WRITE_LOCK, 0).errno()).isZero();
        assertThat(locks.reclaim(ino, new FileLock(3, 1, 0, 9, true, 1), 0)).isFalse();
    }

    private TestRequest persist(long offset, long lengthBytes) {
        TestRequest request = node.request(OpCode.PERSIST, 1, PersistRequest.FIXED_BYTES + 32);
        MessageBuffer body = request.body();
        PersistRequest message = new PersistRequest().wrap(body).reserved(0).rangesCount(2);
        long data = node.pool.zone(ZoneKind.DATA).offset();
        body.putU64(message.ranges(0), data);
        body.putU64(message.ranges(0) + Long.BYTES, 64);
        body.putU64(message.ranges(1), offset);
        body.putU64(message.ranges(1) + Long.BYTES, lengthBytes);
        return node.run(request);
    }

    @Test
    void persistMakesOneSidedWritesDurableWithOneFence() {
        Zone data = node.pool.zone(ZoneKind.DATA);
        node.medium.startRecording();
        node.medium.putLong(data.offset() + 4096, 77);
        assertThat(persist(data.offset() + 4096, 8).errno()).isZero();
        assertThat(node.medium.fenceCount()).isEqualTo(1);
        assertThat(node.medium.crashImages(10, 1).possibleCount()).isEqualTo(1);
    }

    @Test
    void persistRefusesWhatIsNotData() {
        Zone data = node.pool.zone(ZoneKind.DATA);
        assertThat(persist(data.offset() - 1, 8).errno()).isEqualTo(Errno.EINVAL.value);
        assertThat(persist(data.endOffset() - 4, 8).errno()).isEqualTo(Errno.EINVAL.value);
        assertThat(persist(data.offset(), -1).errno()).isEqualTo(Errno.EINVAL.value);
        assertThat(persist(-8, 8).errno()).isEqualTo(Errno.EINVAL.value);
    }
}
