package org.octofs.client.data;

import org.octofs.client.cache.MapCache;
import org.octofs.client.client.ClientCounter;
import org.octofs.client.client.FsException;
import org.octofs.client.link.Links;
import org.octofs.client.link.Statuses;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.InodeReply;
import org.octofs.rpc.protocol.message.InodeRequest;
import org.octofs.rpc.protocol.message.MapReply;
import org.octofs.rpc.protocol.message.MapRequest;

/** Keeps the views of files up to date: by one READ of the inode where possible, by RPC else. All under the exclusive lock. */
final class FileView {
    /** Largest piece of the map: 16 MiB of file, 64 KiB of reply. */
    private static final int FETCH_BLOCKS_MAX = 4096;

    private final Links links;

    FileView(Links links) {
        this.links = links;
    }

    /** Reads the inode anew. */
    void refresh(IoContext io, FileState file, long deadlineNanos) throws FsException {
        if (file.slotOffset != 0) {
            io.verbs.clear();
            io.verbs.read(file.homeNode, file.slotOffset, io.image, 0, InodeLayout.SIZE_BYTES);
            io.verbs.run(deadlineNanos);
            if (InodeImages.isOf(io.image, file.ino)) {
                InodeImages.requireRegular(io.image, 0);
                file.view(io.image, 0, false);
                return;
            }
        }
        ask(file, deadlineNanos);
    }

    /** Asks the home for the inode: it answers when nobody is changing it. */
    void ask(FileState file, long deadlineNanos) throws FsException {
        links.call(
                links.home(file.ino),
                OpCode.GETATTR,
                InodeRequest.FIXED_BYTES,
                deadlineNanos,
                body -> new InodeRequest().wrap(body).ino(file.ino).bodyBytes(),
                (status, body) -> {
                    if (status != 0) {
                        throw Statuses.exception(status, "GETATTR of inode " + file.ino);
                    }
                    long at = body.memoryOffset() + body.check(InodeReply.IMAGE_OFFSET, InodeLayout.SIZE_BYTES);
                    InodeImages.requireRegular(body.memory(), at);
                    file.slotOffset = new InodeReply().wrap(body).slotOffset();
                    file.view(body.memory(), at, false);
                });
    }

    /**
     * Makes the map of a block known, and of some more behind it when reading goes forward.
     *
     * @return false if the file has changed meanwhile and the view is another one now
     */
    boolean fetchMap(IoContext io, FileState file, long fileBlock, long deadlineNanos) throws FsException {
        long first = fileBlock & -MapCache.CHUNK_BLOCKS;
        file.mapFetchBlocks = first == file.nextMapBlock
                ? Math.min(FETCH_BLOCKS_MAX, file.mapFetchBlocks * 2)
                : MapCache.CHUNK_BLOCKS;
        int wanted = file.mapFetchBlocks;
        file.nextMapBlock = first + wanted;
        links.counters().increment(ClientCounter.MAP_FETCHES);
        long[] versionSeen = new long[1];
        links.call(
                links.home(file.ino),
                OpCode.MAP,
                MapRequest.FIXED_BYTES,
                deadlineNanos,
                body -> new MapRequest()
                        .wrap(body)
                        .ino(file.ino)
                        .firstBlock(first)
                        .blockCount(wanted)
                        .reserved(0)
                        .bodyBytes(),
                (status, body) -> {
                    if (status != 0) {
                        throw Statuses.exception(status, "MAP of inode " + file.ino);
                    }
                    MapReply reply = new MapReply().wrap(body);
                    versionSeen[0] = reply.version();
                    if (reply.version() == file.version) {
                        int count = reply.entriesCount();
                        if (count > wanted) {
                            throw new FsException(Errno.EIO, "MAP of inode " + file.ino + " answered too much");
                        }
                        body.check(reply.entriesOffset(), count * 16);
                        file.map.load(first, body, reply.entriesOffset(), count, wanted, reply.nextMapped());
                    }
                });
        if (versionSeen[0] == file.version) {
            return true;
        }
        refresh(io, file, deadlineNanos);
        return false;
    }

    /** Makes the maps of blocks [first, last] known, following the file's changes until they stand still. */
    void needMap(IoContext io, FileState file, long first, long last, long deadlineNanos) throws FsException {
        long block = first;
        for (int attempt = 0; block <= last; ) {
            if (file.map.knows(block)) {
                block = (block & -MapCache.CHUNK_BLOCKS) + MapCache.CHUNK_BLOCKS;
            } else if (!fetchMap(io, file, block, deadlineNanos)) {
                block = first;
                links.pause(attempt++, deadlineNanos);
                if (links.isPast(deadlineNanos)) {
                    throw new FsException(
                            Errno.EIO,
                            "inode " + file.ino + " of shard " + InodeNumber.shard(file.ino)
                                    + " changes faster than its map can be read");
                }
            }
        }
    }
}
