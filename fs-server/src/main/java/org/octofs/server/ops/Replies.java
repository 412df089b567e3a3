package org.octofs.server.ops;

import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.ChangeReply;
import org.octofs.rpc.protocol.message.EntryReply;
import org.octofs.rpc.protocol.message.InodeReply;
import org.octofs.rpc.rpc.RpcRequest;

/** Builds the answers that several operations share, from what the pool holds now. Confined to the worker. */
public final class Replies {
    /** In EntryReply: the image is there. */
    public static final int ENTRY_HAS_IMAGE = 1;

    /** In EntryReply: the entry existed before. */
    public static final int ENTRY_EXISTED = 2;

    /** In EntryReply: the client has to pass the default access control list of the parent on to the new directory. */
    public static final int ENTRY_INHERITS = 4;

    private final EntryReply entry = new EntryReply();
    private final InodeReply inode = new InodeReply();
    private final ChangeReply change = new ChangeReply();

    /** Answers an inode's image as it is, whoever has made it what it is. */
    public void sendInode(RpcRequest request, ServerState state, long slotOffset) {
        sendInode(request, state, slotOffset, 0);
    }

    /** Answers an inode's image that this very request has made, just now: one step of the version is known to be its sender's. */
    public void sendChangedInode(RpcRequest request, ServerState state, long slotOffset) {
        sendInode(request, state, slotOffset, InodeReply.FLAG_CHANGED);
    }

    private void sendInode(RpcRequest request, ServerState state, long slotOffset, int flags) {
        MessageBuffer body = request.reply(InodeReply.FIXED_BYTES);
        inode.wrap(body).slotOffset(slotOffset).flags(flags).reserved(0);
        body.putBytes(InodeReply.IMAGE_OFFSET, state.store().memory(), slotOffset, InodeLayout.SIZE_BYTES);
        request.send(0, InodeReply.FIXED_BYTES);
    }

    /**
     * Answers again, after a restart, what was done to an entry. Others may have changed it since, so the version of the directory is
     * kept back (0): the answer is no news of how things are.
     */
    public void sendEntryAgain(RpcRequest request, ServerState state, long parent, long ino, int type, int flags) {
        sendEntry(request, state, 0, parent, 0, ino, type, flags);
    }

    /**
     * Answers an entry of a directory that is here, with the child's image if that is here too.
     *
     * @param errno 0, or ENOENT with {@code ino} 0: then only the fields of the parent mean something
     */
    public void sendEntry(
            RpcRequest request, ServerState state, int errno, long parent, long ino, int type, int flags) {
        sendEntry(request, state, errno, parent, version(state, parent), ino, type, flags);
    }

    private void sendEntry(
            RpcRequest request,
            ServerState state,
            int errno,
            long parent,
            long parentVersion,
            long ino,
            int type,
            int flags) {
        MessageBuffer body = request.reply(EntryReply.FIXED_BYTES);
        long parentSlot = state.inodes().slotOffset(parent);
        long slot = ino == 0 || !state.isHome(ino) ? 0 : state.inodes().slotOffset(ino);
        entry.wrap(body)
                .ino(ino)
                .slotOffset(slot)
                .parentVersion(parentVersion)
                .parentSlotOffset(parentSlot)
                .flags(slot == 0 ? flags : flags | ENTRY_HAS_IMAGE)
                .type(type);
        if (slot == 0) {
            body.zero(EntryReply.IMAGE_OFFSET, InodeLayout.SIZE_BYTES);
        } else {
            body.putBytes(EntryReply.IMAGE_OFFSET, state.store().memory(), slot, InodeLayout.SIZE_BYTES);
        }
        request.send(errno, EntryReply.FIXED_BYTES);
    }

    /** Answers what was done before, or that there is nothing to change; without versions, see {@link #sendEntryAgain}. */
    public void sendChangeAgain(RpcRequest request, long ino, long replacedIno) {
        change.wrap(request.reply(ChangeReply.FIXED_BYTES))
                .ino(ino)
                .replacedIno(replacedIno)
                .parentVersion(0)
                .targetParentVersion(0);
        request.send(0, ChangeReply.FIXED_BYTES);
    }

    /** Answers a change of one or two directories. */
    public void sendChange(
            RpcRequest request, ServerState state, long ino, long replacedIno, long parent, long targetParent) {
        change.wrap(request.reply(ChangeReply.FIXED_BYTES))
                .ino(ino)
                .replacedIno(replacedIno)
                .parentVersion(version(state, parent))
                .targetParentVersion(version(state, targetParent));
        request.send(0, ChangeReply.FIXED_BYTES);
    }

    private static long version(ServerState state, long ino) {
        long slot = state.isHome(ino) ? state.inodes().slotOffset(ino) : 0;
        return slot == 0 ? 0 : state.store().readLong(slot + InodeLayout.VERSION_OFFSET);
    }
}
