package org.octofs.client.client;

import java.lang.foreign.MemorySegment;
import org.octofs.client.cache.DentryCache;
import org.octofs.client.cache.SlotCache;
import org.octofs.client.data.FileData;
import org.octofs.client.link.Links;
import org.octofs.client.link.Statuses;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.InodeReply;
import org.octofs.rpc.protocol.message.InodeRequest;
import org.octofs.rpc.protocol.message.SetAttributesRequest;

/** What the operations on names and attributes share: links, caches, and attributes by inode number. Thread-safe. */
final class Metadata {
    /** Longest name. */
    static final int NAME_BYTES_MAX = 255;

    final Links links;
    final FileData data;
    final SlotCache slots;
    final DentryCache dentries;
    final SlotReader reader;

    Metadata(Links links, FileData data) {
        this.links = links;
        this.data = data;
        slots = new SlotCache(links.config().slotCacheEntries());
        dentries = new DentryCache(links.config().dentryCacheEntries());
        reader = new SlotReader(links, slots);
    }

    /** Fails for what cannot be a name: an application's mistake gets its errno without a round trip. */
    static void checkName(byte[] name) throws FsException {
        if (name.length == 0) {
            throw new FsException(Errno.ENOENT);
        }
        if (name.length > NAME_BYTES_MAX) {
            throw new FsException(Errno.ENAMETOOLONG);
        }
        for (byte b : name) {
            if (b == '/' || b == 0) {
                throw new FsException(Errno.EINVAL, "a name must not contain '/' or NUL");
            }
        }
    }

    /** Fails for a status other than 0. */
    static void check(int status, String what) throws FsException {
        if (status != 0) {
            throw Statuses.exception(status, what);
        }
    }

    void getAttributes(long ino, Attributes out) throws FsException {
        getAttributesFromHome(ino, out);
        data.withOwnWrites(out, this::getAttributesFromHome);
    }

    /** Without our own uncommitted writes. */
    void getAttributesFromHome(long ino, Attributes out) throws FsException {
        if (reader.read(ino, image -> out.fillFrom(image, 0))) {
            links.counters().increment(ClientCounter.ATTRIBUTE_HITS);
            return;
        }
        links.counters().increment(ClientCounter.ATTRIBUTE_MISSES);
        links.call(
                links.home(ino),
                OpCode.GETATTR,
                InodeRequest.FIXED_BYTES,
                links.deadline(),
                body -> new InodeRequest().wrap(body).ino(ino).bodyBytes(),
                (status, body) -> {
                    if (status == Errno.ENOENT.value || status == Errno.ESTALE.value) {
                        slots.remove(ino);
                    }
                    check(status, "GETATTR of inode " + ino);
                    takeInode(ino, body, out);
                });
    }

    /** Takes an InodeReply. */
    void takeInode(long ino, MessageBuffer body, Attributes out) throws FsException {
        InodeReply reply = new InodeReply().wrap(body);
        long at = body.memoryOffset() + body.check(InodeReply.IMAGE_OFFSET, InodeLayout.SIZE_BYTES);
        out.fillFrom(body.memory(), at);
        if (out.ino() != ino) {
            throw new FsException(Errno.EIO, "asked for inode " + ino + ", answered " + out.ino());
        }
        slots.put(ino, reply.slotOffset());
    }

    void setAttributes(long ino, AttributeChange change, Attributes out) throws FsException {
        if (change.sizeChanges()) {
            data.truncate(ino, change.sizeBytes());
        }
        if (change.valid() == 0) {
            getAttributes(ino, out);
            return;
        }
        // A commit later on would put its own modification time over the one that is set here.
        data.commitIfDirty(ino);
        byte[] answer = new byte[InodeReply.FIXED_BYTES];
        links.call(
                links.home(ino),
                OpCode.SETATTR,
                SetAttributesRequest.FIXED_BYTES,
                links.deadline(),
                body -> new SetAttributesRequest()
                        .wrap(body)
                        .ino(ino)
                        .valid(change.valid())
                        .mode(change.mode())
                        .uid(change.uid())
                        .gid(change.gid())
                        .atimeSec(change.accessSeconds())
                        .mtimeSec(change.modificationSeconds())
                        .atimeNsec(change.accessNanos())
                        .mtimeNsec(change.modificationNanos())
                        .bodyBytes(),
                (status, body) -> {
                    check(status, "SETATTR of inode " + ino);
                    takeInode(ino, body, out);
                    body.getBytes(0, answer, 0, answer.length);
                });
        changed(ino, answer, out);
    }

    /**
     * This client has asked for a change of an inode, and of nothing of its data or entries.
     *
     * @param answer the body of an {@link InodeReply}. Only if it says that the image is what the request has made is the last step of the
     *     version ours; else it may be anybody's, and what is known of data and entries is not known of that version.
     */
    void changed(long ino, byte[] answer, Attributes out) throws FsException {
        MemorySegment body = MemorySegment.ofArray(answer);
        boolean isOurs = (new InodeReply().wrap(new MessageBuffer(body)).flags() & InodeReply.FLAG_CHANGED) != 0;
        if (out.isDirectory() && isOurs) {
            dentries.attributesChanged(ino, out.version());
        } else if (out.isRegular()) {
            data.attributesChanged(ino, body, InodeReply.IMAGE_OFFSET, isOurs);
        }
        links.changed(ino);
    }

    void statfs(FsStatistics out) throws FsException {
        out.clear();
        long deadline = links.deadline();
        for (int node = 0; node < links.nodeCount(); node++) {
            links.call(links.node(node), OpCode.STATFS, 0, deadline, body -> 0, (status, body) -> {
                check(status, "STATFS");
                var reply = new org.octofs.rpc.protocol.message.StatfsReply().wrap(body);
                out.add(reply.totalBlocks(), reply.freeBlocks(), reply.totalInodes(), reply.freeInodes());
            });
        }
    }

    /** Inode number of the parent of a directory, itself for the root. */
    long parentOf(long directory) throws FsException {
        Attributes attributes = new Attributes();
        getAttributes(directory, attributes);
        if (!attributes.isDirectory()) {
            throw new FsException(Errno.ENOTDIR);
        }
        return directory == InodeNumber.ROOT ? directory : attributes.parentIno();
    }
}
