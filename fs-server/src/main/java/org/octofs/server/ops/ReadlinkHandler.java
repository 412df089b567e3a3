package org.octofs.server.ops;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.BytesReply;
import org.octofs.rpc.protocol.message.InodeRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.store.BlobStore;
import org.octofs.server.store.InodeRecord;

/** READLINK: the target of a symbolic link. Answers EINVAL (none), ESTALE, ENOT_HOME. */
public final class ReadlinkHandler implements OperationHandler {
    private final InodeRequest message = new InodeRequest();
    private final BytesReply reply = new BytesReply();
    private final InodeRecord inode = new InodeRecord();
    private byte[] target;

    @Override
    public void handle(RpcRequest request, ServerState state) {
        state.require(message.wrap(request.body()).ino(), inode);
        if (!inode.isSymlink()) {
            throw OperationException.of(Errno.EINVAL);
        }
        int length = (int) inode.sizeBytes();
        MessageBuffer body = request.reply(BytesReply.FIXED_BYTES + length);
        reply.wrap(body).version(inode.version()).valueLength(length);
        if ((inode.flags() & InodeLayout.FLAG_INLINE_TARGET) != 0) {
            body.putBytes(reply.valueOffset(), inode.memory(), inode.base() + InodeLayout.INLINE_OFFSET, length);
        } else {
            if (target == null) {
                target = new byte[BlobStore.BYTES_MAX];
            }
            state.blobs().read(inode.mapRoot(), target);
            body.putBytes(reply.valueOffset(), target, 0, length);
        }
        request.send(0, reply.bodyBytes());
    }
}
