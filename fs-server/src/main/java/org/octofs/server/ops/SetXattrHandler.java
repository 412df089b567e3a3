package org.octofs.server.ops;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.message.XattrRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.session.RecordedReply;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;

/**
 * SETXATTR: sets an extended attribute; durable when answered. Answers EEXIST (XATTR_CREATE), ENODATA (XATTR_REPLACE), E2BIG (value over
 * 64 KiB), ENOSPC (all of an inode over 192 KiB, or no page left), EINVAL (flags, name), ERANGE (name), ESTALE, ENOT_HOME.
 */
public final class SetXattrHandler implements OperationHandler {
    /** Flag: the attribute must not exist. */
    public static final int CREATE = 1;

    /** Flag: the attribute must exist. */
    public static final int REPLACE = 2;

    /** Longest value. */
    public static final int VALUE_BYTES_MAX = 65_536;

    private final XattrRequest message = new XattrRequest();
    private final InodeRecord current = new InodeRecord();
    private final Replies replies = new Replies();
    private final XattrSet set = new XattrSet();

    @Override
    public void handle(RpcRequest request, ServerState state) {
        message.wrap(request.body());
        long ino = message.ino();
        int flags = message.flags();
        state.require(ino, current);
        byte[] name = XattrNames.read(message);
        if ((flags & ~(CREATE | REPLACE)) != 0 || flags == (CREATE | REPLACE)) {
            throw OperationException.of(Errno.EINVAL);
        }
        if (message.valueLength() > VALUE_BYTES_MAX) {
            throw OperationException.of(Errno.E2BIG);
        }
        byte[] value = message.value();
        set.load(state, current);
        int at = set.find(name);
        if (at >= 0 && flags == CREATE) {
            throw OperationException.of(Errno.EEXIST);
        }
        if (at < 0 && flags == REPLACE) {
            throw OperationException.of(Errno.ENODATA);
        }
        if (at >= 0) {
            set.remove(at);
        }
        if (!set.add(name, value)) {
            throw OperationException.of(Errno.ENOSPC);
        }
        MetaTransaction tx = state.begin(RecordType.NAMESPACE);
        InodeRecord inode = state.inodes().edit(tx, ino);
        set.store(tx, state, inode);
        inode.ctime(state.nowSeconds(), state.nowNanos());
        state.commit(request, 0, ino, 0);
        replies.sendInode(request, state, inode.slotOffset());
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
