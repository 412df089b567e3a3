package org.octofs.server.ops;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.XattrFlags;
import org.octofs.rpc.protocol.message.XattrRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.acl.AccessControlList;
import org.octofs.server.session.RecordedReply;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;

/**
 * SETXATTR: sets an extended attribute; durable when answered. Answers EEXIST (XATTR_CREATE), ENODATA (XATTR_REPLACE), E2BIG (value over
 * 64 KiB), ENOSPC (all of an inode over 192 KiB, or no page left), EINVAL (flags, name, no valid
 * access control list), EACCES (default list of what is no directory), ERANGE (name), ESTALE, ENOT_HOME.
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
        int flags = message.flags() & ~(XattrFlags.KILL_SET_GID | XattrFlags.INHERIT);
        boolean killSetGid = (message.flags() & XattrFlags.KILL_SET_GID) != 0;
        boolean inherit = (message.flags() & XattrFlags.INHERIT) != 0;
        state.require(ino, current);
        byte[] name = XattrNames.read(message);
        if ((flags & ~(CREATE | REPLACE)) != 0) {
            throw OperationException.of(Errno.EINVAL);
        }
        if (message.valueLength() > VALUE_BYTES_MAX) {
            throw OperationException.of(Errno.E2BIG);
        }
        byte[] value = message.value();
        AccessControlList list = null;
        if (AccessControlList.isAccess(name) || AccessControlList.isDefault(name)) {
            list = AccessControlList.parse(value);
            if (list == null) {
                throw OperationException.of(Errno.EINVAL);
            }
            if (AccessControlList.isDefault(name) && !current.isDirectory()) {
                throw OperationException.of(Errno.EACCES);
            }
        }
        set.load(state, current);
        int at = set.find(name);
        if (at >= 0 && (flags & CREATE) != 0) {
            throw OperationException.of(Errno.EEXIST);
        }
        if (at < 0 && (flags & REPLACE) != 0) {
            throw OperationException.of(Errno.ENODATA);
        }
        if (at >= 0) {
            set.remove(at);
        }
        // A list that says no more than the permission bits is those bits.
        boolean onlyMode = list != null && AccessControlList.isAccess(name) && list.isOnlyMode();
        if (!onlyMode && !set.add(name, value)) {
            throw OperationException.of(Errno.ENOSPC);
        }
        if (inherit && list != null) {
            addInherited(list);
        }
        MetaTransaction tx = state.begin(RecordType.NAMESPACE);
        InodeRecord inode = state.inodes().edit(tx, ino);
        set.store(tx, state, inode);
        if (list != null && AccessControlList.isAccess(name)) {
            int mode = list.modeFrom(inode.mode());
            inode.mode(killSetGid ? mode & ~FileMode.SET_GID : mode);
        }
        inode.ctime(state.nowSeconds(), state.nowNanos());
        state.commit(request, 0, ino, 0);
        replies.sendChangedInode(request, state, inode.slotOffset());
    }

    /** The list that is checked, of a new directory that got {@code list} from its parent; its mode is right already. */
    private void addInherited(AccessControlList list) {
        list.restrictTo(current.mode());
        if (!list.isOnlyMode() && !set.put(AccessControlList.accessName(), list.value())) {
            throw OperationException.of(Errno.ENOSPC);
        }
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
