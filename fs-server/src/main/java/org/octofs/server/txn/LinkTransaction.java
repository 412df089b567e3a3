package org.octofs.server.txn;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.EntryReply;
import org.octofs.rpc.protocol.message.LinkRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ops.InodeChanges;
import org.octofs.server.ops.LinkHandler;
import org.octofs.server.ops.OperationException;
import org.octofs.server.ops.Replies;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;

/**
 * LINK to a file whose inode is at another server. Answers EEXIST, EPERM (a directory), EMLINK, ENOENT, ENOTDIR, ENOSPC, ESTALE,
 * ELOCKED, ENOT_HOME.
 */
final class LinkTransaction extends CollectDispatchTransaction {
    private final InodeChanges changes;
    private final Replies replies;
    private final byte[] name;
    private final long parentIno;
    private final long ino;
    private Entry entry;

    LinkTransaction(Coordinator coordinator, InodeChanges changes, Replies replies, RpcRequest request) {
        super(coordinator, request);
        this.changes = changes;
        this.replies = replies;
        LinkRequest message = new LinkRequest().wrap(request.body());
        this.name = message.name();
        this.parentIno = message.parent();
        this.ino = message.ino();
    }

    @Override
    protected void plan() {
        lockDirectoryHere(parentIno, true);
        entry = entryHere(parentIno, name);
        if (entry.exists()) {
            throw OperationException.of(Errno.EEXIST);
        }
        wantInode(ino, 0);
    }

    @Override
    protected void decide() {
        OperationException.check(LinkHandler.mayLink(inode(ino)));
    }

    @Override
    protected void stage(MetaTransaction tx) {
        InodeRecord inode = edit(tx, ino);
        changes.nameGained(tx, inode);
        put(tx, entry, ino, FileMode.type(inode.mode()));
        changes.entryChanged(state.inodes().edit(tx, parentIno), 1, 0);
    }

    @Override
    protected void answer() {
        RemoteInode remote = remote(ino);
        if (remote == null) {
            replies.sendEntry(
                    request, state, 0, parentIno, ino, FileMode.type(inode(ino).mode()), 0);
            return;
        }
        MessageBuffer body = request.reply(EntryReply.FIXED_BYTES);
        long parentSlot = state.inodes().slotOffset(parentIno);
        new EntryReply()
                .wrap(body)
                .ino(ino)
                .slotOffset(remote.slotOffset)
                .parentVersion(state.store().readLong(parentSlot + InodeLayout.VERSION_OFFSET))
                .parentSlotOffset(parentSlot)
                .flags(Replies.ENTRY_HAS_IMAGE)
                .type(FileMode.type(remote.record.mode()));
        body.putBytes(EntryReply.IMAGE_OFFSET, remote.image, 0, InodeLayout.SIZE_BYTES);
        request.send(0, EntryReply.FIXED_BYTES);
    }

    @Override
    protected long recordedIno() {
        return ino;
    }

    @Override
    protected long recordedExtra() {
        return parentIno;
    }
}
