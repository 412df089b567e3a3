package org.octofs.server.ops;

import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.ReadDirectoryReply;
import org.octofs.rpc.protocol.message.ReadDirectoryRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.namespace.DentryTable;
import org.octofs.server.store.InodeRecord;

/**
 * READDIR: entries of a directory after a cookie, in the order they were made, as many as fit. Each entry is {u64 ino, u64
 * cookie, u32 type, u32 name length, name, zeros to a multiple of 8}. An entry that exists throughout a listing is in it
 * exactly once. If asked for, {u64 slot offset, image} of inodes that are here and not locked follow their entries. Answers ENOTDIR, ESTALE, ENOT_HOME.
 */
public final class ReadDirectoryHandler implements OperationHandler {
    /** Most bytes of entries in one answer. */
    public static final int ENTRIES_BYTES_MAX = 128 << 10;

    private static final int ENTRY_HEADER_BYTES = 24;
    private static final int IMAGE_BYTES = Long.BYTES + InodeLayout.SIZE_BYTES;
    private static final int ENTRY_BYTES_MAX = ENTRY_HEADER_BYTES + 256 + IMAGE_BYTES;

    private final ReadDirectoryRequest message = new ReadDirectoryRequest();
    private final ReadDirectoryReply reply = new ReadDirectoryReply();
    private final InodeRecord directory = new InodeRecord();

    @Override
    public void handle(RpcRequest request, ServerState state) {
        message.wrap(request.body());
        long ino = message.ino();
        long cookie = message.cookie();
        int room = Math.clamp(message.maxBytes() & 0xFFFF_FFFFL, ENTRY_BYTES_MAX, ENTRIES_BYTES_MAX);
        state.requireDirectory(ino, directory);
        boolean images = (message.flags() & ReadDirectoryRequest.IMAGES) != 0;
        DentryTable dentries = state.dentries();
        MessageBuffer body = request.reply(ReadDirectoryReply.FIXED_BYTES + room);
        reply.wrap(body);
        int start = ReadDirectoryReply.FIXED_BYTES;
        int at = start;
        int count = 0;
        int position = dentries.next(ino, dentries.positionAfter(ino, cookie));
        while (position >= 0) {
            int dentry = dentries.referenceAt(ino, position);
            int nameLength = dentries.nameLength(dentry);
            int size = ENTRY_HEADER_BYTES + (nameLength + 7 & ~7);
            long slot = images ? slotOf(dentries.child(dentry), state) : 0;
            if (at + size + (slot == 0 ? 0 : IMAGE_BYTES) > start + room) {
                break;
            }
            body.putU64(at, dentries.child(dentry));
            body.putU64(at + 8, dentries.cookie(dentry));
            body.putU32(at + 16, dentries.type(dentry) | (slot == 0 ? 0 : ReadDirectoryReply.HAS_IMAGE));
            body.putU32(at + 20, nameLength);
            // The last word first: what the name does not cover of it stays zero.
            body.putU64(at + size - Long.BYTES, 0);
            body.putBytes(at + ENTRY_HEADER_BYTES, state.store().memory(), dentries.nameOffset(dentry), nameLength);
            at += size;
            if (slot != 0) {
                body.putU64(at, slot);
                body.putBytes(at + Long.BYTES, state.store().memory(), slot, InodeLayout.SIZE_BYTES);
                at += IMAGE_BYTES;
            }
            count++;
            position = dentries.next(ino, position + 1);
        }
        reply.version(directory.version())
                .parentIno(directory.parent())
                .endReached(position < 0 ? 1 : 0)
                .entryCount(count)
                .entriesLength(at - start);
        request.send(0, at);
    }

    /** Where an inode is; 0 if it is elsewhere, or a transaction is changing it. */
    private static long slotOf(long ino, ServerState state) {
        return state.isHome(ino) && !state.locks().isLocked(ino)
                ? state.inodes().slotOffset(ino)
                : 0;
    }
}
