package org.octofs.server.data;

import org.octofs.rpc.protocol.BlockEntryLayout;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.MapReply;
import org.octofs.rpc.protocol.message.MapRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ops.OperationException;
import org.octofs.server.ops.OperationHandler;
import org.octofs.server.ops.ServerState;
import org.octofs.server.store.InodeRecord;

/**
 * MAP: the block map of a range of a file. Changes nothing. Answers EINVAL (not a regular file, a negative block), ESTALE,
 * ENOT_HOME.
 */
public final class MapHandler implements OperationHandler {
    /** Most entries of one answer: 2 GiB at 128 KiB. */
    public static final int ENTRIES_MAX = 8192;

    private final BlockMapReader reader;
    private final MapRequest message = new MapRequest();
    private final MapReply answer = new MapReply();
    private final InodeRecord inode = new InodeRecord();

    public MapHandler(FileSpace files) {
        this.reader = files.reader();
    }

    @Override
    public void handle(RpcRequest request, ServerState state) {
        message.wrap(request.body());
        long ino = message.ino();
        long firstBlock = message.firstBlock();
        int wanted = message.blockCount();
        state.require(ino, inode);
        if (!inode.isRegular() || firstBlock < 0 || firstBlock > BlockMapLayout.FILE_BLOCKS_MAX || wanted < 0) {
            throw OperationException.of(Errno.EINVAL);
        }
        int room = Math.min(wanted, ENTRIES_MAX);
        MessageBuffer body = request.reply(MapReply.FIXED_BYTES + room * BlockEntryLayout.SIZE_BYTES);
        answer.wrap(body).version(inode.version()).sizeBytes(inode.sizeBytes()).entriesCount(0);
        int count = reader.read(inode, firstBlock, room, body, answer.entriesOffset());
        answer.nextMapped(reader.nextMapped(inode, firstBlock + count));
        request.send(0, answer.entriesCount(count).bodyBytes());
    }
}
