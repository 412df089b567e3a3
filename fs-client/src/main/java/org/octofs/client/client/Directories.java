package org.octofs.client.client;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.ReadDirectoryReply;
import org.octofs.rpc.protocol.message.ReadDirectoryRequest;

/** Listings. Thread-safe. */
final class Directories {
    private static final int PAGE_BYTES = 64 << 10;

    // An entry of a READDIR answer.
    private static final int INO_OFFSET = 0;
    private static final int COOKIE_OFFSET = INO_OFFSET + Long.BYTES;
    private static final int TYPE_OFFSET = COOKIE_OFFSET + Long.BYTES;
    private static final int NAME_LENGTH_OFFSET = TYPE_OFFSET + Integer.BYTES;
    private static final int NAME_OFFSET = NAME_LENGTH_OFFSET + Integer.BYTES;

    private final Metadata metadata;
    private final AccessTimes accessTimes;

    Directories(Metadata metadata, AccessTimes accessTimes) {
        this.metadata = metadata;
        this.accessTimes = accessTimes;
    }

    OpenDirectory open(long ino) throws FsException {
        Attributes attributes = new Attributes();
        metadata.getAttributes(ino, attributes);
        if (!attributes.isDirectory()) {
            throw new FsException(Errno.ENOTDIR);
        }
        return new OpenDirectory(ino, ino == InodeNumber.ROOT ? ino : attributes.parentIno(), attributes);
    }

    void read(OpenDirectory directory, long cookie, DirectorySink sink) throws FsException {
        if (cookie == 0) {
            accessTimes.read(directory.attributes());
        }
        Page page = new Page(cookie, sink);
        while (!page.finished) {
            metadata.links.call(
                    metadata.links.home(directory.ino()),
                    OpCode.READDIR,
                    ReadDirectoryRequest.FIXED_BYTES,
                    metadata.links.deadline(),
                    body -> new ReadDirectoryRequest()
                            .wrap(body)
                            .ino(directory.ino())
                            .cookie(page.cookie)
                            .maxBytes(PAGE_BYTES)
                            .flags(0)
                            .bodyBytes(),
                    (status, body) -> {
                        Metadata.check(status, "READDIR of inode " + directory.ino());
                        page.deliver(body);
                    });
        }
    }

    /** One listing on its way: where it is, and whether it is over. */
    private static final class Page {
        private final DirectorySink sink;
        private long cookie;
        private boolean finished;

        Page(long cookie, DirectorySink sink) {
            this.cookie = cookie;
            this.sink = sink;
        }

        void deliver(MessageBuffer body) {
            ReadDirectoryReply reply = new ReadDirectoryReply().wrap(body);
            int at = reply.entriesOffset();
            int count = reply.entryCount();
            for (int i = 0; i < count; i++) {
                int nameLength = body.getI32(at + NAME_LENGTH_OFFSET);
                body.check(at + NAME_OFFSET, nameLength);
                long next = body.getU64(at + COOKIE_OFFSET);
                boolean taken = sink.entry(
                        body.getU64(at + INO_OFFSET),
                        body.getI32(at + TYPE_OFFSET),
                        body.memory(),
                        body.memoryOffset() + at + NAME_OFFSET,
                        nameLength,
                        next);
                if (!taken) {
                    finished = true;
                    return;
                }
                cookie = next;
                at += NAME_OFFSET + (nameLength + Long.BYTES - 1 & -Long.BYTES);
            }
            finished = reply.endReached() != 0 || count == 0;
        }
    }
}
