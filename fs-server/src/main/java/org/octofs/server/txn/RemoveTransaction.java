package org.octofs.server.txn;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.message.CollectRequest;
import org.octofs.rpc.protocol.message.LookupRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ops.InodeChanges;
import org.octofs.server.ops.OperationException;
import org.octofs.server.ops.Replies;
import org.octofs.server.store.MetaTransaction;

/**
 * RMDIR and UNLINK of a name whose inode is at another server. There the inode keeps its slot with a link count of 0 until
 * nobody has it open, as an orphan; its home frees it. Answers ENOENT, ENOTDIR, EISDIR, ENOTEMPTY, ESTALE, ELOCKED, ENOT_HOME.
 */
final class RemoveTransaction extends CollectDispatchTransaction {
    private final InodeChanges changes;
    private final Replies replies;
    private final boolean ofDirectory;
    private final byte[] name;
    private final long parentIno;
    private Entry entry;

    RemoveTransaction(
            Coordinator coordinator, InodeChanges changes, Replies replies, RpcRequest request, boolean ofDirectory) {
        super(coordinator, request);
        this.changes = changes;
        this.replies = replies;
        this.ofDirectory = ofDirectory;
        LookupRequest message = new LookupRequest().wrap(request.body());
        this.name = message.name();
        this.parentIno = message.parent();
    }

    @Override
    protected void plan() {
        lockDirectoryHere(parentIno, false);
        entry = entryHere(parentIno, name);
        if (!entry.exists()) {
            throw OperationException.of(Errno.ENOENT);
        }
        boolean isDirectory = entry.childType == FileMode.DIRECTORY;
        if (isDirectory != ofDirectory) {
            throw OperationException.of(ofDirectory ? Errno.ENOTDIR : Errno.EISDIR);
        }
        wantInode(entry.child, ofDirectory ? CollectRequest.FLAG_EMPTY : 0);
    }

    @Override
    protected void decide() {
        if (ofDirectory && inode(entry.child).entryCount() != 0) {
            throw OperationException.of(Errno.ENOTEMPTY);
        }
    }

    @Override
    protected void stage(MetaTransaction tx) {
        state.dentries().remove(tx, entry.reference);
        drop(tx, changes, entry.child, entry.childType);
        changes.entryChanged(state.inodes().edit(tx, parentIno), -1, ofDirectory ? -1 : 0);
    }

    @Override
    protected void answer() {
        replies.sendChange(request, state, entry.child, 0, parentIno, parentIno);
    }

    @Override
    protected long recordedIno() {
        return entry.child;
    }

    @Override
    protected long recordedExtra() {
        return parentIno;
    }
}
