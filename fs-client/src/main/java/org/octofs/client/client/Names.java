package org.octofs.client.client;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.octofs.client.cache.DentryCache.Dentry;
import org.octofs.client.data.FileState;
import org.octofs.client.link.Links;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.ChangeReply;
import org.octofs.rpc.protocol.message.CreateRequest;
import org.octofs.rpc.protocol.message.EntryReply;
import org.octofs.rpc.protocol.message.LinkRequest;
import org.octofs.rpc.protocol.message.LookupRequest;
import org.octofs.rpc.protocol.message.RenameRequest;

/** Operations on directory entries. Thread-safe. */
final class Names {
    /** Of CREATE: fail if the name exists. */
    private static final int CREATE_EXCLUSIVE = 1;

    /** Of CREATE: open the file. */
    private static final int CREATE_OPEN = 2;

    /** Of CREATE: no name. */
    private static final int CREATE_UNNAMED = 4;

    /** Of CREATE: no name, but LINK may give it one. */
    private static final int CREATE_LINKABLE = 8;

    private static final int UMASK_SHIFT = 16;

    /** Of an EntryReply: it carries the inode's image. */
    private static final int HAS_IMAGE = 1;

    /** Of an EntryReply: the entry was there before. */
    private static final int EXISTED = 2;

    /** Of an EntryReply: the new directory has to get the default access control list of its parent. */
    private static final int INHERITS = 4;

    /** A name whose inode was gone this often when it was asked for its attributes is a damaged one. */
    private static final int VANISHED_MAX = 100;

    /** How far up directories are followed, as by the servers. */
    private static final int DEPTH_MAX = 1 << 16;

    private static final byte[] NO_TARGET = {};

    private final Metadata metadata;

    Names(Metadata metadata) {
        this.metadata = metadata;
    }

    void lookup(long parent, byte[] name, Attributes out) throws FsException {
        if (isDots(name)) {
            metadata.getAttributes(name.length == 1 ? parent : metadata.parentOf(parent), out);
            return;
        }
        Metadata.checkName(name);
        long deadline = metadata.links.deadline();
        for (int attempt = 0; !lookupOnce(parent, name, out, deadline); attempt++) {
            vanished(parent, attempt, deadline);
        }
    }

    /** What had a name was gone when it was asked for: rests before attempt {@code attempt + 1}, if there is to be one. */
    private void vanished(long parent, int attempt, long deadline) throws FsException {
        if (attempt + 1 >= VANISHED_MAX) {
            throw new FsException(Errno.ESTALE, "a name of directory " + parent + " stands for nothing");
        }
        metadata.links.pause(attempt, deadline);
    }

    /** Answers false if what had the name was gone when its attributes were read: the name says something else by now. */
    private boolean lookupOnce(long parent, byte[] name, Attributes out, long deadline) throws FsException {
        try {
            if (lookupCached(parent, name, out, deadline)) {
                metadata.links.counters().increment(ClientCounter.DENTRY_HITS);
                return true;
            }
        } catch (FsException e) {
            if (e.errno() != Errno.ESTALE) {
                throw e;
            }
            return false;
        }
        metadata.links.counters().increment(ClientCounter.DENTRY_MISSES);
        Entry entry = new Entry();
        metadata.links.call(
                metadata.links.home(parent),
                OpCode.LOOKUP,
                LookupRequest.FIXED_BYTES + name.length,
                deadline,
                body -> nameRequest(body, parent, name),
                (status, body) -> {
                    if (status == Errno.ENOENT.value && body.lengthBytes() >= EntryReply.FIXED_BYTES) {
                        EntryReply reply = new EntryReply().wrap(body);
                        metadata.slots.put(parent, reply.parentSlotOffset());
                        metadata.dentries.learned(parent, name, 0, 0, reply.parentVersion());
                    }
                    Metadata.check(status, "LOOKUP");
                    take(body, parent, out, entry);
                    metadata.dentries.learned(parent, name, entry.ino, entry.type, entry.parentVersion);
                });
        return complete(entry, out);
    }

    private boolean lookupCached(long parent, byte[] name, Attributes out, long deadline) throws FsException {
        Dentry dentry = metadata.dentries.get(parent, name);
        if (dentry == null) {
            return false;
        }
        switch (metadata.reader.check(
                parent, dentry.version(), dentry.ino(), image -> out.fillFrom(image, 0), deadline)) {
            case STALE -> {
                return false;
            }
            case VALID -> {
                if (dentry.isAbsent()) {
                    metadata.links.counters().increment(ClientCounter.DENTRY_HITS);
                    throw new FsException(Errno.ENOENT);
                }
                metadata.getAttributes(dentry.ino(), out);
            }
            case VALID_WITH_IMAGE -> metadata.data.withOwnWrites(out, metadata::getAttributesFromHome);
        }
        return true;
    }

    private static boolean isDots(byte[] name) {
        return name.length >= 1 && name.length <= 2 && name[0] == '.' && name[name.length - 1] == '.';
    }

    private static int nameRequest(MessageBuffer body, long parent, byte[] name) {
        return new LookupRequest()
                .wrap(body)
                .parent(parent)
                .name(name, 0, name.length)
                .bodyBytes();
    }

    /** What an EntryReply says besides the attributes. */
    private static final class Entry {
        private long ino;
        private long slotOffset;
        private long parentVersion;
        private int type;
        private int flags;

        boolean hasImage() {
            return (flags & HAS_IMAGE) != 0;
        }

        boolean inherits() {
            return (flags & INHERITS) != 0;
        }

        boolean existed() {
            return (flags & EXISTED) != 0;
        }
    }

    private void take(MessageBuffer body, long parent, Attributes out, Entry entry) {
        EntryReply reply = new EntryReply().wrap(body);
        entry.ino = reply.ino();
        entry.slotOffset = reply.slotOffset();
        entry.parentVersion = reply.parentVersion();
        entry.type = reply.type();
        entry.flags = reply.flags();
        metadata.slots.put(parent, reply.parentSlotOffset());
        if (entry.hasImage()) {
            out.fillFrom(body.memory(), imageOf(body));
            metadata.slots.put(entry.ino, entry.slotOffset);
        }
    }

    private static long imageOf(MessageBuffer body) {
        return body.memoryOffset() + body.check(EntryReply.IMAGE_OFFSET, InodeLayout.SIZE_BYTES);
    }

    /**
     * Attributes that did not come with the entry are asked for; those that did get our own writes.
     *
     * @return false if the inode is gone again
     */
    private boolean complete(Entry entry, Attributes out) throws FsException {
        try {
            if (entry.hasImage()) {
                metadata.data.withOwnWrites(out, metadata::getAttributesFromHome);
            } else {
                metadata.getAttributes(entry.ino, out);
            }
            return true;
        } catch (FsException e) {
            if (e.errno() != Errno.ESTALE) {
                throw e;
            }
            return false;
        }
    }

    /** As above, of an entry that was just made: if somebody has removed it already, it was there nevertheless. */
    private void completeMade(Entry entry, int mode, int uid, int gid, Attributes out) throws FsException {
        if (!complete(entry, out) && !entry.hasImage()) {
            out.gone(entry.ino, (entry.type & FileMode.TYPE_MASK) | (mode & FileMode.PERMISSIONS), uid, gid);
        }
    }

    /** Makes a file of any type but a directory's. */
    void make(long parent, byte[] name, int mode, int umask, long rdev, byte[] target, int uid, int gid, Attributes out)
            throws FsException {
        Entry entry = new Entry();
        int flags = CREATE_EXCLUSIVE | umask << UMASK_SHIFT;
        create(OpCode.CREATE, parent, name, mode, rdev, target, uid, gid, flags, (status, body) -> {
            takeMade(parent, name, body, out, entry);
        });
        completeMade(entry, mode, uid, gid, out);
    }

    /** Answers whether the caller has to pass the parent's default access control list on. */
    boolean mkdir(long parent, byte[] name, int mode, int umask, int uid, int gid, Attributes out) throws FsException {
        Entry entry = new Entry();
        int dirMode = FileMode.DIRECTORY | (mode & FileMode.PERMISSIONS);
        int flags = CREATE_EXCLUSIVE | umask << UMASK_SHIFT;
        create(OpCode.MKDIR, parent, name, dirMode, 0, NO_TARGET, uid, gid, flags, (status, body) -> {
            takeMade(parent, name, body, out, entry);
        });
        completeMade(entry, mode & ~umask, uid, gid, out);
        return entry.inherits();
    }

    /** Opens a new file without a name; its state is registered at its home. */
    FileState createUnnamed(long parent, int mode, int umask, int uid, int gid, int openFlags, Attributes out)
            throws FsException {
        boolean linkable = (openFlags & OpenFlags.EXCL) == 0;
        int flags = CREATE_OPEN | CREATE_UNNAMED | (linkable ? CREATE_LINKABLE : 0) | umask << UMASK_SHIFT;
        int fileMode = FileMode.REGULAR | (mode & FileMode.PERMISSIONS);
        Entry entry = new Entry();
        AtomicReference<byte[]> image = new AtomicReference<>();
        send(OpCode.CREATE, parent, NO_TARGET, fileMode, 0, NO_TARGET, uid, gid, flags, (status, body) -> {
            take(body, parent, out, entry);
            image.set(copyOfImage(body));
        });
        return metadata.data.opened(entry.ino, entry.slotOffset, MemorySegment.ofArray(image.get()), 0);
    }

    private static byte[] copyOfImage(MessageBuffer body) {
        byte[] copy = new byte[InodeLayout.SIZE_BYTES];
        body.getBytes(EntryReply.IMAGE_OFFSET, copy, 0, copy.length);
        return copy;
    }

    /**
     * Opens a regular file, making it if it is absent.
     *
     * @return its state, registered at its home
     */
    FileState createAndOpen(
            long parent, byte[] name, int mode, int umask, int uid, int gid, int openFlags, Attributes out)
            throws FsException {
        long deadline = metadata.links.deadline();
        for (int attempt = 0; ; attempt++) {
            FileState file = createOrOpen(parent, name, mode, umask, uid, gid, openFlags, out);
            if (file != null) {
                return file;
            }
            vanished(parent, attempt, deadline);
        }
    }

    /** Answers null if what had the name was gone when it was to be opened. */
    private FileState createOrOpen(
            long parent, byte[] name, int mode, int umask, int uid, int gid, int openFlags, Attributes out)
            throws FsException {
        boolean exclusive = (openFlags & OpenFlags.EXCL) != 0;
        int flags = CREATE_OPEN | (exclusive ? CREATE_EXCLUSIVE : 0) | umask << UMASK_SHIFT;
        int fileMode = FileMode.REGULAR | (mode & FileMode.PERMISSIONS);
        Entry entry = new Entry();
        AtomicReference<byte[]> image = new AtomicReference<>();
        create(OpCode.CREATE, parent, name, fileMode, 0, NO_TARGET, uid, gid, flags, (status, body) -> {
            takeMade(parent, name, body, out, entry);
            if (entry.hasImage()) {
                image.set(copyOfImage(body));
            }
        });
        int type = entry.existed() ? entry.type & FileMode.TYPE_MASK : FileMode.REGULAR;
        if (type != FileMode.REGULAR) {
            throw new FsException(FileMode.noData(type));
        }
        FileState file = entry.hasImage()
                ? metadata.data.opened(entry.ino, entry.slotOffset, MemorySegment.ofArray(image.get()), 0)
                : openIfThere(entry.ino);
        if (file == null) {
            return null;
        }
        boolean success = false;
        try {
            if (entry.existed() && (openFlags & OpenFlags.TRUNC) != 0) {
                metadata.data.truncate(entry.ino, 0);
            }
            if (entry.existed() || !entry.hasImage()) {
                metadata.getAttributes(entry.ino, out);
            }
            success = true;
            return file;
        } finally {
            if (!success) {
                metadata.data.release(file);
            }
        }
    }

    private FileState openIfThere(long ino) throws FsException {
        try {
            return metadata.data.open(ino);
        } catch (FsException e) {
            if (e.errno() != Errno.ESTALE) {
                throw e;
            }
            return null;
        }
    }

    private void takeMade(long parent, byte[] name, MessageBuffer body, Attributes out, Entry entry) {
        take(body, parent, out, entry);
        if (entry.existed()) {
            metadata.dentries.learned(parent, name, entry.ino, entry.type, entry.parentVersion);
        } else {
            metadata.dentries.changed(parent, name, entry.ino, entry.type, entry.parentVersion);
            metadata.links.changed(parent);
            metadata.links.changed(entry.ino);
        }
    }

    private void create(
            int opCode,
            long parent,
            byte[] name,
            int mode,
            long rdev,
            byte[] target,
            int uid,
            int gid,
            int flags,
            Links.Reply reply)
            throws FsException {
        Metadata.checkName(name);
        if (isDots(name)) {
            throw new FsException(Errno.EEXIST);
        }
        send(opCode, parent, name, mode, rdev, target, uid, gid, flags, reply);
    }

    private void send(
            int opCode,
            long parent,
            byte[] name,
            int mode,
            long rdev,
            byte[] target,
            int uid,
            int gid,
            int flags,
            Links.Reply reply)
            throws FsException {
        metadata.links.call(
                metadata.links.home(parent),
                opCode,
                CreateRequest.FIXED_BYTES + name.length + target.length,
                metadata.links.deadline(),
                body -> new CreateRequest()
                        .wrap(body)
                        .parent(parent)
                        .mode(mode)
                        .uid(uid)
                        .gid(gid)
                        .flags(flags)
                        .rdev(rdev)
                        .name(name, 0, name.length)
                        .target(target, 0, target.length)
                        .bodyBytes(),
                (status, body) -> {
                    Metadata.check(status, "CREATE");
                    reply.take(status, body);
                });
    }

    void link(long ino, long parent, byte[] name, Attributes out) throws FsException {
        Metadata.checkName(name);
        if (isDots(name)) {
            throw new FsException(Errno.EEXIST);
        }
        metadata.data.commitIfDirty(ino);
        Entry entry = new Entry();
        metadata.links.call(
                metadata.links.home(parent),
                OpCode.LINK,
                LinkRequest.FIXED_BYTES + name.length,
                metadata.links.deadline(),
                body -> new LinkRequest()
                        .wrap(body)
                        .ino(ino)
                        .parent(parent)
                        .name(name, 0, name.length)
                        .bodyBytes(),
                (status, body) -> {
                    Metadata.check(status, "LINK");
                    takeMade(parent, name, body, out, entry);
                });
        completeMade(entry, 0, 0, 0, out);
    }

    /** UNLINK or RMDIR; answers the inode number. */
    long remove(int opCode, long parent, byte[] name) throws FsException {
        Metadata.checkName(name);
        if (isDots(name)) {
            boolean directory = opCode == OpCode.RMDIR;
            throw new FsException(!directory ? Errno.EISDIR : name.length == 1 ? Errno.EINVAL : Errno.ENOTEMPTY);
        }
        long[] removed = new long[1];
        metadata.links.call(
                metadata.links.home(parent),
                opCode,
                LookupRequest.FIXED_BYTES + name.length,
                metadata.links.deadline(),
                body -> nameRequest(body, parent, name),
                (status, body) -> {
                    Metadata.check(status, "UNLINK");
                    ChangeReply reply = new ChangeReply().wrap(body);
                    removed[0] = reply.ino();
                    metadata.dentries.changed(parent, name, 0, 0, reply.parentVersion());
                    metadata.links.changed(parent);
                    metadata.links.changed(reply.ino());
                    if (opCode == OpCode.RMDIR) {
                        metadata.dentries.forgetDirectory(reply.ino());
                    } else {
                        metadata.data.forget(reply.ino());
                    }
                });
        return removed[0];
    }

    /**
     * Answers the number of the inode that was replaced, 0 if none was.
     *
     * @param moved takes that of the inode that has another name now
     */
    long rename(long parent, byte[] name, long newParent, byte[] newName, int flags, LongConsumer moved)
            throws FsException {
        Metadata.checkName(name);
        Metadata.checkName(newName);
        if (isDots(name) || isDots(newName)) {
            throw new FsException(Errno.EBUSY);
        }
        long[] replaced = new long[1];
        metadata.links.call(
                metadata.links.home(parent),
                OpCode.RENAME,
                RenameRequest.FIXED_BYTES + name.length + newName.length,
                metadata.links.deadline(),
                body -> new RenameRequest()
                        .wrap(body)
                        .sourceParent(parent)
                        .targetParent(newParent)
                        .flags(flags)
                        .reserved(0)
                        .sourceName(name, 0, name.length)
                        .targetName(newName, 0, newName.length)
                        .bodyBytes(),
                (status, body) -> {
                    Metadata.check(status, "RENAME");
                    ChangeReply reply = new ChangeReply().wrap(body);
                    metadata.dentries.changedSomehow(newParent, newName, reply.targetParentVersion());
                    // The old name may still be there: exchanged, or both were names of one file and nothing happened.
                    metadata.dentries.changedSomehow(parent, name, reply.parentVersion());
                    metadata.links.changed(parent);
                    metadata.links.changed(newParent);
                    metadata.links.changed(reply.ino());
                    replaced[0] = reply.replacedIno();
                    moved.accept(reply.ino());
                    if (reply.replacedIno() != 0) {
                        metadata.links.changed(reply.replacedIno());
                        metadata.data.forget(reply.replacedIno());
                        metadata.dentries.forgetDirectory(reply.replacedIno());
                    }
                });
        return replaced[0];
    }

    /** Whether a name stands for a directory, or for one that it lies in, at any depth; false if that cannot be told. */
    boolean isAbove(long parent, byte[] name, long directory) {
        try {
            Attributes at = new Attributes();
            lookup(parent, name, at);
            long sought = at.ino();
            long above = directory;
            for (int step = 0; step < DEPTH_MAX && above != sought && above != InodeNumber.ROOT; step++) {
                above = metadata.parentOf(above);
            }
            return above == sought;
        } catch (FsException e) {
            return false;
        }
    }
}
