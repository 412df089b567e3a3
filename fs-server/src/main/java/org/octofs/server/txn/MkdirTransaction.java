package org.octofs.server.txn;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.CreateRequest;
import org.octofs.rpc.protocol.message.EntryReply;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ops.CreateHandler;
import org.octofs.server.ops.InheritedLists;
import org.octofs.server.ops.InodeChanges;
import org.octofs.server.ops.OperationException;
import org.octofs.server.ops.Replies;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;

/**
 * MKDIR of a directory whose inode goes to another server: here the entry and the parent, there the inode. Answers EEXIST,
 * ENOTDIR, ENOENT, ESTALE, EMLINK, ENOSPC (here or there), ELOCKED, ENOT_HOME.
 */
final class MkdirTransaction extends CollectDispatchTransaction {
    private final InodeChanges changes;
    private final CreateRequest message;
    private final byte[] name;
    private final long parentIno;
    private final int shard;
    private final InheritedLists lists = new InheritedLists();
    private Entry entry;
    private boolean inherits;

    MkdirTransaction(Coordinator coordinator, InodeChanges changes, RpcRequest request, int shard) {
        super(coordinator, request);
        this.changes = changes;
        this.message = new CreateRequest().wrap(request.body());
        this.name = message.name();
        this.parentIno = message.parent();
        this.shard = shard;
    }

    @Override
    protected void plan() {
        InodeRecord parent = lockDirectoryHere(parentIno, true);
        entry = entryHere(parentIno, name);
        if (entry.exists()) {
            throw OperationException.of(Errno.EEXIST);
        }
        if (parent.nlink() >= InodeChanges.LINK_MAX) {
            throw OperationException.of(Errno.EMLINK);
        }
        wantNewInode(shard);
    }

    @Override
    protected void decide() {
        // A free slot has nothing to say.
    }

    @Override
    protected void stage(MetaTransaction tx) {
        RemoteInode fresh = onlyRemote();
        InodeRecord directory = state.inodes().edit(tx, parentIno);
        InodeRecord inode = fresh.edit();
        inode.putInt(InodeLayout.MAGIC_OFFSET, InodeLayout.MAGIC).putLong(InodeLayout.INO_OFFSET, fresh.ino);
        int mode = FileMode.DIRECTORY | (message.mode() & FileMode.PERMISSIONS);
        // The lists themselves need pages of the other pool: the client sets them there, see ENTRY_INHERITS.
        int granted = lists.begin(state, directory, mode, message.flags() >>> CreateHandler.UMASK_SHIFT);
        inherits = lists.hasDefault(state, directory);
        changes.initialise(inode, directory, granted, message.uid(), message.gid(), 0);
        put(tx, entry, fresh.ino, FileMode.DIRECTORY);
        changes.entryChanged(directory, 1, 1);
    }

    @Override
    protected void answer() {
        RemoteInode fresh = onlyRemote();
        MessageBuffer body = request.reply(EntryReply.FIXED_BYTES);
        long parentSlot = state.inodes().slotOffset(parentIno);
        // The image as it is about to arrive at its home, so that the client need not ask there.
        new EntryReply()
                .wrap(body)
                .ino(fresh.ino)
                .slotOffset(fresh.slotOffset)
                .parentVersion(state.store().readLong(parentSlot + InodeLayout.VERSION_OFFSET))
                .parentSlotOffset(parentSlot)
                .flags(Replies.ENTRY_HAS_IMAGE | (inherits ? Replies.ENTRY_INHERITS : 0))
                .type(FileMode.DIRECTORY);
        body.putBytes(EntryReply.IMAGE_OFFSET, fresh.image, 0, InodeLayout.SIZE_BYTES);
        request.send(0, EntryReply.FIXED_BYTES);
    }

    @Override
    protected long recordedIno() {
        return onlyRemote().ino;
    }

    @Override
    protected long recordedExtra() {
        return parentIno;
    }
}
