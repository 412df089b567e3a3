package org.octofs.server.ops;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.message.XattrRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.session.RecordedReply;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;

/**
 * REMOVEXATTR: removes an extended attribute; durable when answered. Answers ENODATA, ERANGE and EINVAL (name), ENOSPC (no page to
 * write the others to), ESTALE, ENOT_HOME.
 */
public final class RemoveXattrHandler implements OperationHandler {
    private final XattrRequest message = new XattrRequest();
    private final InodeRecord current = new InodeRecord();
    private final Replies replies = new Replies();
    private final XattrSet set = new XattrSet();

    @Override
    public void handle(RpcRequest request, ServerState state) {
        message.wrap(request.body());
        long ino = message.ino();
        state.require(ino, current);
        byte[] name = XattrNames.read(message);
        set.load(state, current);
        int at = set.find(name);
        if (at < 0) {
            throw OperationException.of(Errno.ENODATA);
        }
        set.remove(at);
        MetaTransaction tx = state.begin(RecordType.NAMESPACE);
        InodeRecord inode = state.inodes().edit(tx, ino);
        set.store(tx, state, inode);
        inode.ctime(state.nowSeconds(), state.nowNanos());
        state.commit(request, 0, ino, 0);
        replies.sendChangedInode(request, state, inode.slotOffset());
    }

    @Override
    public void answerAgain(RpcRequest request, ServerState state, RecordedReply recorded) {
        long slot = state.inodes().slotOffset(recorded.ino());
        if (slot == 0) {
            request.send(Errno.ESTALE.value, 0);
        } else {
            replies.sendInode(request, state, slot);
        }
    }
}
