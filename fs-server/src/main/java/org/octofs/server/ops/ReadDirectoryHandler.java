package org.octofs.server.ops;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.ReadDirectoryReply;
import org.octofs.rpc.protocol.message.ReadDirectoryRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.namespace.DentryTable;
import org.octofs.server.store.InodeRecord;

/**
 * READDIR: entries of a directory after a cookie, in the order they were made, as many as fit. Each entry is {u64 ino, u64
 * cookie, u32 type, u32 name length, name, zeros to a multiple of 8}. An entry that exists throughout a listing is in it
 * exactly once. Answers ENOTDIR, ESTALE, ENOT_HOME.
 */
public final class ReadDirectoryHandler implements OperationHandler {
    /** Most bytes of entries in one answer. */
    public static final int ENTRIES_BYTES_MAX = 128 << 10;

    private static final int ENTRY_HEADER_BYTES = 24;
    private static final int ENTRY_BYTES_MAX = ENTRY_HEADER_BYTES + 256;

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
            if (at + size > start + room) {
                break;
            }
            body.putU64(at, dentries.child(dentry));
            body.putU64(at + 8, dentries.cookie(dentry));
            body.putU32(at + 16, dentries.type(dentry));
            body.putU32(at + 20, nameLength);
            // The last word first: what the name does not cover of it stays zero.
            body.putU64(at + size - Long.BYTES, 0);
            body.putBytes(at + ENTRY_HEADER_BYTES, state.store().memory(), dentries.nameOffset(dentry), nameLength);
            at += size;
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
}
