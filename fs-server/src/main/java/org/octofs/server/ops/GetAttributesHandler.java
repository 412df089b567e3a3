package org.octofs.server.ops;

import org.octofs.rpc.protocol.message.InodeRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.store.InodeRecord;

/** GETATTR: the image of an inode. Answers ESTALE (no such inode), ENOT_HOME. */
public final class GetAttributesHandler implements OperationHandler {
    private final InodeRequest message = new InodeRequest();
    private final InodeRecord inode = new InodeRecord();
    private final Replies replies = new Replies();

    @Override
    public void handle(RpcRequest request, ServerState state) {
        state.require(message.wrap(request.body()).ino(), inode);
        replies.sendInode(request, state, inode.slotOffset());
    }
}
