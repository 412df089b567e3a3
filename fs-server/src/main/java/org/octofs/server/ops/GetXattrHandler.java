package org.octofs.server.ops;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.message.BytesReply;
import org.octofs.rpc.protocol.message.XattrRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.store.InodeRecord;

/** GETXATTR: the value of an extended attribute. Answers ENODATA, ERANGE and EINVAL (name), ESTALE, ENOT_HOME. */
public final class GetXattrHandler implements OperationHandler {
    private final XattrRequest message = new XattrRequest();
    private final BytesReply reply = new BytesReply();
    private final InodeRecord inode = new InodeRecord();
    private final XattrSet set = new XattrSet();

    @Override
    public void handle(RpcRequest request, ServerState state) {
        message.wrap(request.body());
        state.require(message.ino(), inode);
        byte[] name = XattrNames.read(message);
        if (inode.xattrRoot() == 0) {
            throw OperationException.of(Errno.ENODATA);
        }
        set.load(state, inode);
        int at = set.find(name);
        if (at < 0) {
            throw OperationException.of(Errno.ENODATA);
        }
        int length = set.valueLength(at);
        reply.wrap(request.reply(BytesReply.FIXED_BYTES + length))
                .version(inode.version())
                .value(set.bytes(), set.valueOffset(at), length);
        request.send(0, reply.bodyBytes());
    }
}
