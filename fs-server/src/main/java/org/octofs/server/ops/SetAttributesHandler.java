package org.octofs.server.ops;

import org.octofs.rpc.protocol.AttributeMask;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.message.SetAttributesRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.acl.AccessControlList;
import org.octofs.server.session.RecordedReply;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;

/**
 * SETATTR: permissions, owner, group, times; durable when answered. A change of owner or group takes set-user-id from
 * files, and set-group-id where the group may execute; new permissions change the access control list with them. Answers EINVAL (unknown bits in the mask, nanoseconds out of range),
 * ESTALE, ENOT_HOME.
 */
public final class SetAttributesHandler implements OperationHandler {
    private static final int KNOWN = AttributeMask.MODE
            | AttributeMask.UID
            | AttributeMask.GID
            | AttributeMask.ATIME
            | AttributeMask.MTIME
            | AttributeMask.ATIME_NOW
            | AttributeMask.MTIME_NOW
            | AttributeMask.KILL_PRIVILEGES
            | AttributeMask.ACCESSED;
    private static final int GROUP_EXECUTE = 0x8;

    private final SetAttributesRequest message = new SetAttributesRequest();
    private final InodeRecord current = new InodeRecord();
    private final Replies replies = new Replies();
    private final XattrSet attributes = new XattrSet();

    @Override
    public void handle(RpcRequest request, ServerState state) {
        message.wrap(request.body());
        long ino = message.ino();
        int valid = message.valid();
        if ((valid & ~KNOWN) != 0) {
            throw OperationException.of(Errno.EINVAL);
        }
        state.require(ino, current);
        if (valid == AttributeMask.ACCESSED) {
            accessed(request, state, ino);
            return;
        }
        if ((valid & AttributeMask.ACCESSED) != 0) {
            throw OperationException.of(Errno.EINVAL);
        }
        MetaTransaction tx = state.begin(RecordType.NAMESPACE);
        InodeRecord inode = state.inodes().edit(tx, ino);
        changeOwner(inode, valid);
        if ((valid & AttributeMask.MODE) != 0) {
            inode.mode((inode.mode() & FileMode.TYPE_MASK) | (message.mode() & FileMode.PERMISSIONS));
            listFollowsMode(tx, state, inode);
        }
        changeTimes(inode, valid, state);
        inode.ctime(state.nowSeconds(), state.nowNanos());
        state.commit(request, 0, ino, 0);
        replies.sendChangedInode(request, state, inode.slotOffset());
    }

    /** An answer comes also where the rule asks for no change. */
    private void accessed(RpcRequest request, ServerState state, long ino) {
        state.takeTime();
        if (RelativeAccessTime.isDue(current, state.nowSeconds())) {
            MetaTransaction tx = state.begin(RecordType.NAMESPACE);
            state.inodes().edit(tx, ino).atime(state.nowSeconds(), state.nowNanos());
            state.commit(request, 0, ino, 0);
            replies.sendChangedInode(request, state, current.slotOffset());
        } else {
            replies.sendInode(request, state, current.slotOffset());
        }
    }

    private void listFollowsMode(MetaTransaction tx, ServerState state, InodeRecord inode) {
        if (inode.xattrRoot() == 0) {
            return;
        }
        attributes.load(state, inode);
        AccessControlList list = attributes.list(AccessControlList.accessName());
        if (list != null) {
            list.takeMode(inode.mode());
            attributes.put(AccessControlList.accessName(), list.value());
            attributes.store(tx, state, inode);
        }
    }

    private void changeOwner(InodeRecord inode, int valid) {
        if ((valid & AttributeMask.UID) != 0) {
            inode.putInt(InodeLayout.UID_OFFSET, message.uid());
        }
        if ((valid & AttributeMask.GID) != 0) {
            inode.putInt(InodeLayout.GID_OFFSET, message.gid());
        }
        int killing = AttributeMask.UID | AttributeMask.GID | AttributeMask.KILL_PRIVILEGES;
        if ((valid & killing) != 0 && !inode.isDirectory()) {
            inode.mode(withoutPrivileges(inode.mode()));
        }
    }

    /** A mode without the bits that a change of owner or content takes away. */
    public static int withoutPrivileges(int mode) {
        int without = mode & ~FileMode.SET_UID;
        return (mode & GROUP_EXECUTE) != 0 ? without & ~FileMode.SET_GID : without;
    }

    private void changeTimes(InodeRecord inode, int valid, ServerState state) {
        if ((valid & AttributeMask.ATIME_NOW) != 0) {
            inode.atime(state.nowSeconds(), state.nowNanos());
        } else if ((valid & AttributeMask.ATIME) != 0) {
            inode.atime(message.atimeSec(), nanos(message.atimeNsec()));
        }
        if ((valid & AttributeMask.MTIME_NOW) != 0) {
            inode.mtime(state.nowSeconds(), state.nowNanos());
        } else if ((valid & AttributeMask.MTIME) != 0) {
            inode.mtime(message.mtimeSec(), nanos(message.mtimeNsec()));
        }
    }

    private static int nanos(int value) {
        if (value < 0 || value >= 1_000_000_000) {
            throw OperationException.of(Errno.EINVAL);
        }
        return value;
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
