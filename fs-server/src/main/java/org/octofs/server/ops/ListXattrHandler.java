package org.octofs.server.ops;

import org.octofs.rpc.protocol.message.BytesReply;
import org.octofs.rpc.protocol.message.InodeRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.store.InodeRecord;

/** LISTXATTR: the names of all extended attributes, each ended by NUL. Answers ESTALE, ENOT_HOME. */
public final class ListXattrHandler implements OperationHandler {
    private static final byte[] NO_NAMES = {};

    private final InodeRequest message = new InodeRequest();
    private final BytesReply reply = new BytesReply();
    private final InodeRecord inode = new InodeRecord();
    private final XattrSet set = new XattrSet();

    @Override
    public void handle(RpcRequest request, ServerState state) {
        state.require(message.wrap(request.body()).ino(), inode);
        byte[] names = NO_NAMES;
        if (inode.xattrRoot() != 0) {
            set.load(state, inode);
            names = set.names();
        }
        reply.wrap(request.reply(BytesReply.FIXED_BYTES + names.length))
                .version(inode.version())
                .value(names, 0, names.length);
        request.send(0, reply.bodyBytes());
    }
}
