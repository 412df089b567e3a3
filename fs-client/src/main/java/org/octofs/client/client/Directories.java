package org.octofs.client.client;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeLayout;
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

    /** With a name of usual length. */
    private static final int ENTRY_WITH_IMAGE_BYTES = NAME_OFFSET + 24 + Long.BYTES + InodeLayout.SIZE_BYTES;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

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
            ask(directory.ino(), page.cookie, PAGE_BYTES, 0, page::deliver);
        }
    }

    void readWithAttributes(OpenDirectory directory, long cookie, int count, AttributesSink sink) throws FsException {
        if (cookie == 0) {
            accessTimes.read(directory.attributes());
        }
        Part part = new Part();
        int maxBytes = Math.max(count, 1) * ENTRY_WITH_IMAGE_BYTES;
        ask(directory.ino(), cookie, maxBytes, ReadDirectoryRequest.IMAGES, part::take);
        part.deliver(directory.ino(), metadata, sink);
    }

    /** One READDIR. */
    private void ask(long directory, long cookie, int maxBytes, int flags, Answer answer) throws FsException {
        metadata.links.call(
                metadata.links.home(directory),
                OpCode.READDIR,
                ReadDirectoryRequest.FIXED_BYTES,
                metadata.links.deadline(),
                body -> new ReadDirectoryRequest()
                        .wrap(body)
                        .ino(directory)
                        .cookie(cookie)
                        .maxBytes(maxBytes)
                        .flags(flags)
                        .bodyBytes(),
                (status, body) -> {
                    Metadata.check(status, "READDIR of inode " + directory);
                    answer.take(body);
                });
    }

    /** Takes the answer of a READDIR while it is there. */
    @FunctionalInterface
    private interface Answer {
        void take(MessageBuffer body) throws FsException;
    }

    /** Entries with images, copied out of the answer: what is done with them may need calls of its own. */
    private static final class Part {
        private final Attributes attributes = new Attributes();
        private MemorySegment entries = MemorySegment.NULL;
        private int count;
        private long version;

        void take(MessageBuffer body) {
            ReadDirectoryReply reply = new ReadDirectoryReply().wrap(body);
            entries = MemorySegment.ofArray(reply.entries());
            count = reply.entryCount();
            version = reply.version();
        }

        void deliver(long directory, Metadata metadata, AttributesSink sink) throws FsException {
            int at = 0;
            for (int i = 0; i < count; i++) {
                long ino = entries.get(LONG, at + INO_OFFSET);
                int type = entries.get(INT, at + TYPE_OFFSET);
                int nameLength = entries.get(INT, at + NAME_LENGTH_OFFSET);
                byte[] name = entries.asSlice(at + NAME_OFFSET, nameLength).toArray(ValueLayout.JAVA_BYTE);
                int imageAt = at + NAME_OFFSET + (nameLength + Long.BYTES - 1 & -Long.BYTES);
                boolean hasImage = (type & ReadDirectoryReply.HAS_IMAGE) != 0;
                type &= ~ReadDirectoryReply.HAS_IMAGE;
                metadata.dentries.learned(directory, name, ino, type, version);
                Attributes found = null;
                if (hasImage) {
                    metadata.slots.put(ino, entries.get(LONG, imageAt));
                    attributes.fillFrom(entries, imageAt + Long.BYTES);
                    found = withOwnWrites(metadata) ? attributes : null;
                }
                long next = entries.get(LONG, at + COOKIE_OFFSET);
                if (!sink.entry(ino, type, entries, at + NAME_OFFSET, nameLength, next, found)) {
                    return;
                }
                at = hasImage ? imageAt + Long.BYTES + InodeLayout.SIZE_BYTES : imageAt;
            }
        }

        /** False if this client knows newer ones: rare enough to do without. */
        private boolean withOwnWrites(Metadata metadata) throws FsException {
            try {
                metadata.data.withOwnWrites(attributes, (ino, _) -> {
                    throw new FsException(Errno.EAGAIN);
                });
                return true;
            } catch (FsException e) {
                if (e.errno() == Errno.EAGAIN) {
                    return false;
                }
                throw e;
            }
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
