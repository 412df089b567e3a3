package org.octofs.server.data;

import org.octofs.rpc.protocol.CommitFlags;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.CommitReply;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ops.OperationException;
import org.octofs.server.ops.OperationHandler;
import org.octofs.server.ops.ServerState;
import org.octofs.server.session.RecordedReply;
import org.octofs.server.space.ReservationLayout;
import org.octofs.server.space.ReservationTable;
import org.octofs.server.space.ShardSpace;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;

/**
 * COMMIT: makes pushed data part of a file, changes its size, punches holes, zeroes: all or nothing, in one log record, durable and
 * visible when answered. The blocks leave the reservation table in the same record, those that they replace are free after
 * it, and the blocks lent for the next writes are in it too.
 *
 * <p>Answers EAGAIN with the present image (APPEND and the size is another, IF_UNCHANGED and the version is another, or a
 * merged block is mapped elsewhere by now: nothing was changed), EISDIR, ELOOP or ENXIO (not a regular file), EINVAL (blocks that are not lent to the caller or named twice, extents out of
 * order or overlapping, unknown flags, nanoseconds out of range), EFBIG (more than 4096 blocks but for holes, or beyond the largest file),
 * ENOSPC (no page for the map), ESTALE, ENOT_HOME.
 */
public final class CommitHandler implements OperationHandler {
    private final FileSpace files;
    private final ShardSpace space;
    private final ReservationTable reservations;
    private final CommitExtents extents = new CommitExtents();
    private final CommitReply answer = new CommitReply();
    private final GrantWriter grants = new GrantWriter();
    private final InodeRecord current = new InodeRecord();

    public CommitHandler(FileSpace files) {
        this.files = files;
        this.space = files.space();
        this.reservations = space.reservations();
    }

    @Override
    public void handle(RpcRequest request, ServerState state) {
        extents.read(request.body());
        state.requireRegular(extents.ino(), current);
        if (conflicts()) {
            send(request, state, Errno.EAGAIN, extents.ino(), 0);
            return;
        }
        long ino = extents.ino();
        int shard = InodeNumber.shard(ino);
        takeLoans(request.clientId(), shard);
        MetaTransaction tx = state.begin(RecordType.COMMIT).shard(shard);
        reservations.takeStage(tx);
        InodeRecord inode = state.inodes().edit(tx, ino);
        changeMap(tx, inode, shard, request.body());
        changeAttributes(inode, state);

        MessageBuffer body = request.reply(replyBytes());
        grants.start(body, CommitReply.FIXED_BYTES);
        if (extents.wantBlocks() > 0) {
            long tag = ReservationLayout.tag(shard, request.slot(), request.requestId());
            space.lend(tx, ino, extents.nextBlock(), extents.wantBlocks(), request.clientId(), tag, grants);
        }
        state.commit(request, 0, ino, 0);
        send(request, state, Errno.OK, ino, grants.count());
    }

    private boolean conflicts() {
        if (extents.hasFlag(CommitFlags.APPEND) && current.sizeBytes() != extents.expectedSizeBytes()) {
            return true;
        }
        if (extents.hasFlag(CommitFlags.IF_UNCHANGED) && current.version() != extents.baseVersion()) {
            return true;
        }
        for (int i = 0; i < extents.count(); i++) {
            if (extents.isMerged(i)
                    && files.reader().location(current, extents.fileBlock(i)) != extents.expectedLocation(i)) {
                return true;
            }
        }
        return false;
    }

    private void takeLoans(long clientId, int shard) {
        reservations.takeBegin();
        for (int i = 0; i < extents.mappedCount(); i++) {
            int extent = extents.byLocation(i);
            if (!reservations.take(clientId, shard, extents.location(extent), (int) extents.blockCount(extent))) {
                reservations.takeCancel();
                throw OperationException.of(Errno.EINVAL);
            }
        }
    }

    private void changeMap(MetaTransaction tx, InodeRecord inode, int shard, MessageBuffer body) {
        BlockMapEditor editor = files.editor();
        boolean setSize = extents.hasFlag(CommitFlags.SET_SIZE);
        long end = setSize ? BlockMapLayout.blocksFor(extents.sizeBytes()) : BlockMapLayout.FILE_BLOCKS_MAX;
        editor.begin(tx, inode, shard);
        for (int i = 0; i < extents.count(); i++) {
            long fileBlock = extents.fileBlock(i);
            if (extents.isHole(i)) {
                editor.clear(fileBlock, Math.min(end, fileBlock + extents.blockCount(i)));
            } else if (extents.isZeroed(i)) {
                editor.unwrite(fileBlock, Math.min(end, fileBlock + extents.blockCount(i)));
            } else {
                int checksumsAt = extents.checksumsAt(i);
                editor.set(
                        fileBlock,
                        extents.mappedLocation(i),
                        (int) extents.blockCount(i),
                        checksumsAt < 0 ? null : body,
                        checksumsAt);
            }
        }
        if (setSize) {
            editor.clear(end, BlockMapLayout.FILE_BLOCKS_MAX);
        }
        editor.end();
    }

    private void changeAttributes(InodeRecord inode, ServerState state) {
        if (extents.hasFlag(CommitFlags.SET_SIZE)) {
            inode.sizeBytes(extents.sizeBytes());
        } else if (!extents.hasFlag(CommitFlags.KEEP_SIZE)) {
            inode.sizeBytes(Math.max(inode.sizeBytes(), extents.sizeBytes()));
        }
        if (!extents.hasFlag(CommitFlags.KEEP_MTIME)) {
            inode.mtime(extents.mtimeSec(), extents.mtimeNsec());
        }
        inode.ctime(state.nowSeconds(), state.nowNanos());
    }

    private static int replyBytes() {
        return CommitReply.FIXED_BYTES + ShardSpace.RUNS_MAX * GrantWriter.GRANT_BYTES;
    }

    /** Answers with the present image; the grants are in the body already. */
    private void send(RpcRequest request, ServerState state, Errno errno, long ino, int grantCount) {
        MessageBuffer body = request.reply(replyBytes());
        long slot = state.inodes().slotOffset(ino);
        answer.wrap(body).slotOffset(slot).grantsCount(grantCount);
        body.putBytes(CommitReply.IMAGE_OFFSET, state.store().memory(), slot, InodeLayout.SIZE_BYTES);
        request.send(errno.value, answer.bodyBytes());
    }

    @Override
    public void answerAgain(RpcRequest request, ServerState state, RecordedReply recorded) {
        long ino = recorded.ino();
        if (state.inodes().slotOffset(ino) == 0) {
            throw OperationException.of(Errno.ESTALE);
        }
        MessageBuffer body = request.reply(replyBytes());
        grants.start(body, CommitReply.FIXED_BYTES);
        long tag = ReservationLayout.tag(InodeNumber.shard(ino), request.slot(), request.requestId());
        reservations.forRequest(request.clientId(), tag, (location, count, _, _) -> grants.run(location, count));
        send(request, state, Errno.OK, ino, grants.count());
    }
}
