package org.octofs.fuse.fuse;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.octofs.client.client.AttributeChange;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.LockSpec;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.XattrFlags;

/**
 * Serves the mount from the client library: one method per operation, translation only.
 *
 * <p>Threading:  any thread, as the client.
 * Errors:     {@link Answers} turns what was thrown into an errno; nothing else leaves.
 * Ownership:  of the open files and directories behind the handles it gave out, until their release; not of the client.
 */
public final class FuseAdapter implements FuseOperations {
    private static final String ACCESS_CONTROL_LISTS = "system.posix_acl_";
    /** The kernel sends the release some milliseconds after the close. */
    private static final long CLOSE_NOTICE_NANOS_MAX = 50_000_000;

    private static final byte[] SELF = {'.'};
    private static final byte[] PARENT = {'.', '.'};

    private final FsClient client;
    private final AdapterPolicy policy;
    private final HandleTable<OpenFile> files = new HandleTable<>();
    private final RemovedDirectories removed;
    private final PageCacheLedger pages = new PageCacheLedger();
    private final Answers answers;
    private final Listings listings;
    private final PrivilegeDrops privileges;
    private final Keeping keeping;

    /** Null if it cannot make the kernel forget anything. */
    private volatile FuseBinding binding;

    public FuseAdapter(FsClient client, AdapterPolicy policy) {
        this.client = client;
        this.privileges = new PrivilegeDrops(client);
        this.policy = policy;
        removed = new RemovedDirectories(client.config().wallClock());
        answers = new Answers(client, policy, removed);
        listings = new Listings(client, policy, removed, answers);
        keeping = new Keeping(client.leases(), policy);
    }

    @Override
    public void carriedBy(FuseBinding carrier) {
        binding = carrier;
        keeping.start(carrier);
    }

    @Override
    public void answered(RequestContext context) {
        keeping.answered(ClientTranslation.ofThread());
    }

    @Override
    public void destroy() {
        keeping.stop();
    }

    /** Operations that failed through a fault of ours. */
    public long faultCount() {
        return answers.faultCount();
    }

    /** Files and directories that are open, each as often as it is. */
    public int openCount() {
        return files.count() + listings.openCount();
    }

    /** Inodes of which something is kept because the kernel knows them. */
    public int rememberedCount() {
        return pages.count() + removed.count();
    }

    private OpenFile file(long handle) throws FsException {
        OpenFile file = files.get(handle);
        if (file == null) {
            throw new FsException(Errno.EBADF);
        }
        return file;
    }

    private void fill(ClientTranslation translation, EntryReply out) {
        translation.attributesTo(out.attributes);
        out.generation = 0;
        out.attributesTimeoutSeconds = policy.timeoutSeconds();
        out.entryTimeoutSeconds = policy.timeoutSeconds();
    }

    private void fill(ClientTranslation translation, AttributesReply out) {
        translation.attributesTo(out.attributes);
        out.timeoutSeconds = policy.timeoutSeconds();
    }

    @Override
    public int lookup(RequestContext context, long parent, byte[] name, EntryReply out) {
        try {
            ClientTranslation translation = ClientTranslation.ofThread();
            Attributes directory = removed.find(parent);
            if (directory != null) {
                lookupInRemoved(directory, name, translation.attributes);
                fill(translation, out);
                return 0;
            }
            keeping.begin(translation);
            client.lookup(parent, name, translation.attributes);
            answers.found(context, parent, name, translation.attributes);
            fill(translation, out);
            keeping.keep(context, translation, parent, name, out);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answers.ofName(context, "lookup", parent, e);
        }
    }

    private void lookupInRemoved(Attributes directory, byte[] name, Attributes out) throws FsException {
        if (Arrays.equals(name, SELF)) {
            out.copy(directory);
        } else if (Arrays.equals(name, PARENT)) {
            client.getAttributes(directory.parentIno(), out);
        } else {
            throw new FsException(Errno.ENOENT);
        }
    }

    @Override
    public void forget(long inode, long lookups) {
        // The client counts no references; only the pages go with the kernel's last one.
        pages.drop(inode);
        removed.forget(inode);
    }

    @Override
    public int getattr(RequestContext context, long inode, long handle, AttributesReply out) {
        try {
            ClientTranslation translation = ClientTranslation.ofThread();
            Attributes directory = removed.find(inode);
            if (directory != null) {
                translation.attributes.copy(directory);
                fill(translation, out);
                return 0;
            }
            keeping.begin(translation);
            client.getAttributes(inode, translation.attributes);
            fill(translation, out);
            keeping.keep(context, translation, out);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return isRemovedWhileOpen(inode, e)
                    ? getattr(context, inode, handle, out)
                    : attributesOfGone(context, "getattr", inode, e, out);
        }
    }

    /** A directory that others have removed while it is open here goes on like one that was removed here. */
    private boolean isRemovedWhileOpen(long inode, Throwable thrown) {
        Attributes last = Answers.isGone(thrown) ? listings.attributesOfOpen(inode) : null;
        if (last == null) {
            return false;
        }
        removed.add(last);
        return true;
    }

    @Override
    public int setattr(RequestContext context, long inode, long handle, AttributesChange change, AttributesReply out) {
        try {
            ClientTranslation translation = ClientTranslation.ofThread();
            AttributeChange changes = translation.change(change);
            if (change.isOfOwner() && !removed.contains(inode)) {
                if (change.mask != 0) {
                    privileges.atChown(context, inode, changes);
                } else if (!privileges.atOwnerlessChown(context, inode, changes)) {
                    return getattr(context, inode, handle, out);
                }
            }
            if (removed.change(inode, changes)) {
                return getattr(context, inode, handle, out);
            }
            client.setAttributes(inode, changes, translation.attributes);
            fill(translation, out);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return attributesOfGone(context, "setattr", inode, e, out);
        }
    }

    /** As {@link Answers#ofInode}; {@code out} gets the last attributes where that is the answer. */
    private int attributesOfGone(
            RequestContext context, String operation, long inode, Throwable thrown, AttributesReply out) {
        Attributes last = answers.lastOf(context, inode, thrown);
        if (last == null) {
            return answers.ofInode(context, operation, inode, thrown);
        }
        ClientTranslation translation = ClientTranslation.ofThread();
        translation.attributes.copy(last.removed(last.changeSeconds(), last.changeNanos()));
        fill(translation, out);
        return 0;
    }

    @Override
    public int readlink(RequestContext context, long inode, BytesReply out) {
        try {
            out.set(client.readlink(inode));
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answers.ofInode(context, "readlink", inode, e);
        }
    }

    @Override
    public int mknod(RequestContext context, long parent, byte[] name, int mode, long device, EntryReply out) {
        try {
            ClientTranslation translation = ClientTranslation.ofThread();
            client.mknod(parent, name, mode, context.umask, device, context.uid, context.gid, translation.attributes);
            fill(translation, out);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answers.ofName(context, "mknod", parent, e);
        }
    }

    @Override
    public int mkdir(RequestContext context, long parent, byte[] name, int mode, EntryReply out) {
        try {
            ClientTranslation translation = ClientTranslation.ofThread();
            client.mkdir(parent, name, mode, context.umask, context.uid, context.gid, translation.attributes);
            fill(translation, out);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answers.ofName(context, "mkdir", parent, e);
        }
    }

    @Override
    public int unlink(RequestContext context, long parent, byte[] name) {
        try {
            client.unlink(parent, name);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answers.ofName(context, "unlink", parent, e);
        }
    }

    @Override
    public int rmdir(RequestContext context, long parent, byte[] name) {
        try {
            Attributes last = new Attributes();
            client.lookup(parent, name, last);
            if (client.rmdir(parent, name) == last.ino()) {
                removed.add(last);
            }
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answers.ofName(context, "rmdir", parent, e);
        }
    }

    @Override
    public int symlink(RequestContext context, long parent, byte[] name, byte[] target, EntryReply out) {
        try {
            ClientTranslation translation = ClientTranslation.ofThread();
            client.symlink(parent, name, target, context.uid, context.gid, translation.attributes);
            fill(translation, out);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answers.ofName(context, "symlink", parent, e);
        }
    }

    @Override
    public int rename(RequestContext context, long parent, byte[] name, long newParent, byte[] newName, int flags) {
        try {
            Attributes target = directoryThere(newParent, newName);
            long replaced = client.rename(parent, name, newParent, newName, flags);
            if (target != null && target.ino() == replaced) {
                removed.add(target);
            }
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answers.ofName(context, "rename", parent, e);
        }
    }

    /** Attributes of the directory that has the name, which the kernel has just looked up; null if none has. */
    private Attributes directoryThere(long parent, byte[] name) {
        try {
            Attributes found = ClientTranslation.ofThread().attributes;
            client.lookup(parent, name, found);
            if (!found.isDirectory()) {
                return null;
            }
            Attributes last = new Attributes();
            last.copy(found);
            return last;
        } catch (FsException e) {
            // It is for the rename to say what is wrong.
            return null;
        }
    }

    @Override
    public int link(RequestContext context, long inode, long newParent, byte[] newName, EntryReply out) {
        try {
            ClientTranslation translation = ClientTranslation.ofThread();
            client.link(inode, newParent, newName, translation.attributes);
            fill(translation, out);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answers.ofName(context, "link", newParent, e);
        }
    }

    @Override
    public int open(RequestContext context, long inode, int flags, OpenReply out) {
        try {
            if ((flags & OpenFlags.TRUNC) != 0) {
                privileges.atChangeUnlessRoot(context, inode);
            }
            opened(client.open(inode, flags), out);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            // What had this number is gone, and something else has it: the kernel is to look the name up again.
            return isOfAnotherKind(e) ? answers.stale(context) : answers.ofInode(context, "open", inode, e);
        }
    }

    private static boolean isOfAnotherKind(Throwable thrown) {
        return thrown instanceof FsException e && (e.errno() == Errno.ELOOP || e.errno() == Errno.ENXIO);
    }

    @Override
    public int create(
            RequestContext context, long parent, byte[] name, int mode, int flags, EntryReply entry, OpenReply open) {
        try {
            ClientTranslation translation = ClientTranslation.ofThread();
            OpenFile file = client.create(
                    parent, name, mode, context.umask, context.uid, context.gid, flags, translation.attributes);
            fill(translation, entry);
            opened(file, open);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            // The name has become a link or a device since the kernel looked it up, which is for the kernel to follow
            // or open.
            return e instanceof FsException failure && failure.errno() == Errno.ELOOP
                    ? answers.stale(context)
                    : answers.ofName(context, "create", parent, e);
        }
    }

    @Override
    public int tmpfile(RequestContext context, long parent, int mode, int flags, EntryReply entry, OpenReply open) {
        try {
            ClientTranslation translation = ClientTranslation.ofThread();
            OpenFile file = client.createUnnamed(
                    parent, mode, context.umask, context.uid, context.gid, flags, translation.attributes);
            fill(translation, entry);
            opened(file, open);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answers.ofName(context, "tmpfile", parent, e);
        }
    }

    private void opened(OpenFile file, OpenReply out) throws FsException {
        out.handle = files.add(file);
        if (out.handle == 0) {
            client.release(file);
            throw new FsException(Errno.ENFILE);
        }
        // Where an append goes is not for the kernel's idea of the size to say; so it must not go through its pages
        // either.
        out.directIo = isDirect(file);
        if (out.directIo) {
            pages.drop(file.ino());
        } else {
            // A read that the kernel serves from its pages would leave the access time as it is.
            boolean sameData = pages.opened(file.ino(), file.cacheGeneration());
            out.keepCache = sameData && !(OpenFlags.reads(file.flags()) && client.isAccessTimeDue(file));
        }
    }

    /** Whether it goes past the kernel's pages. */
    private boolean isDirect(OpenFile file) {
        return policy.allDirect() || file.isAppend();
    }

    @Override
    public int read(
            RequestContext context,
            long inode,
            long handle,
            long offset,
            MemorySegment target,
            long targetOffset,
            int size) {
        try {
            return client.read(file(handle), offset, target, targetOffset, size);
        } catch (FsException | RuntimeException | Error e) {
            return answers.of("read", inode, e);
        }
    }

    @Override
    public int write(
            RequestContext context,
            long inode,
            long handle,
            long offset,
            MemorySegment source,
            long sourceOffset,
            int size,
            int openFlags,
            boolean dropPrivileges) {
        try {
            OpenFile file = file(handle);
            if (dropPrivileges) {
                privileges.atChange(context, inode);
            }
            // fcntl may have taken O_APPEND away; where it was added, the kernel has found the end by itself.
            boolean append = file.isAppend() && (openFlags & OpenFlags.APPEND) != 0;
            int count = client.write(file, append, offset, source, sourceOffset, size);
            if (append) {
                pages.drop(inode);
            }
            return count;
        } catch (FsException | RuntimeException | Error e) {
            return answers.of("write", inode, e);
        }
    }

    @Override
    public int flush(RequestContext context, long inode, long handle, long lockOwner) {
        try {
            client.flush(file(handle), lockOwner);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answers.of("flush", inode, e);
        }
    }

    @Override
    public int release(RequestContext context, long inode, long handle, int openFlags) {
        try {
            OpenFile file = files.remove(handle);
            if (file == null) {
                return -Errno.EBADF.value;
            }
            client.release(file);
            return 0;
        } catch (RuntimeException | Error e) {
            return answers.of("release", inode, e);
        }
    }

    @Override
    public int fsync(RequestContext context, long inode, long handle, boolean dataOnly) {
        try {
            client.fsync(file(handle), dataOnly);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answers.of("fsync", inode, e);
        }
    }

    @Override
    public int opendir(RequestContext context, long inode, int flags, OpenReply out) {
        return listings.open(context, inode, out);
    }

    @Override
    public int readdir(RequestContext context, long inode, long handle, long cookie, DirectoryBuffer out) {
        return listings.read(inode, handle, cookie, out);
    }

    @Override
    public boolean listsWithAttributes() {
        return true;
    }

    @Override
    public int readdirplus(RequestContext context, long inode, long handle, long cookie, EntrySink out) {
        return listings.readWithAttributes(inode, handle, cookie, out);
    }

    @Override
    public int releasedir(RequestContext context, long inode, long handle) {
        return listings.release(inode, handle);
    }

    @Override
    public int fsyncdir(RequestContext context, long inode, long handle, boolean dataOnly) {
        return listings.sync(inode, handle);
    }

    @Override
    public int statfs(RequestContext context, long inode, StatisticsReply out) {
        try {
            ClientTranslation translation = ClientTranslation.ofThread();
            client.statfs(translation.statistics);
            translation.statisticsTo(out);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answers.of("statfs", inode, e);
        }
    }

    /** Name spaces that mean something here; access control lists only where the kernel enforces them. */
    private void checkNameSpace(byte[] name) throws FsException {
        String text = new String(name, StandardCharsets.ISO_8859_1);
        if (text.equals("user.") || text.equals("trusted.") || text.equals("security.")) {
            throw new FsException(Errno.EINVAL);
        }
        boolean known = text.startsWith("user.")
                || text.startsWith("trusted.")
                || text.startsWith("security.")
                || (policy.accessControlLists() && isAccessControlList(name));
        if (!known) {
            throw new FsException(Errno.EOPNOTSUPP);
        }
    }

    private static boolean isAccessControlList(byte[] name) {
        return new String(name, StandardCharsets.ISO_8859_1).startsWith(ACCESS_CONTROL_LISTS);
    }

    @Override
    public int setxattr(RequestContext context, long inode, byte[] name, byte[] value, int flags, boolean killSetGid) {
        try {
            checkNameSpace(name);
            client.setXattr(inode, name, value, killSetGid ? flags | XattrFlags.KILL_SET_GID : flags);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answers.ofInode(context, "setxattr", inode, e);
        }
    }

    @Override
    public int getxattr(RequestContext context, long inode, byte[] name, BytesReply out) {
        try {
            checkNameSpace(name);
            out.set(client.getXattr(inode, name));
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answers.ofInode(context, "getxattr", inode, e);
        }
    }

    @Override
    public int listxattr(RequestContext context, long inode, BytesReply out) {
        try {
            out.set(TrustedNames.shown(client.listXattr(inode), context));
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answers.ofInode(context, "listxattr", inode, e);
        }
    }

    @Override
    public int removexattr(RequestContext context, long inode, byte[] name) {
        try {
            checkNameSpace(name);
            client.removeXattr(inode, name);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            int answer = answers.ofInode(context, "removexattr", inode, e);
            // Of lists, "none" is as good as "removed".
            return answer == -Errno.ENODATA.value && isAccessControlList(name) ? 0 : answer;
        }
    }

    /** The kernel checks permissions itself (default_permissions) and then does not ask. */
    @Override
    public int access(RequestContext context, long inode, int mask) {
        return -Errno.ENOSYS.value;
    }

    @Override
    public int getlk(RequestContext context, long inode, long handle, long owner, LockRange lock) {
        try {
            ClientTranslation.lockTo(client.testLock(file(handle), ClientTranslation.lock(lock, owner)), lock);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answers.of("getlk", inode, e);
        }
    }

    @Override
    public int setlk(RequestContext context, long inode, long handle, long owner, LockRange lock, boolean wait) {
        try {
            return lock(context, file(handle), ClientTranslation.lock(lock, owner), patience(wait));
        } catch (FsException | RuntimeException | Error e) {
            return answers.of("setlk", inode, e);
        }
    }

    @Override
    public int flock(RequestContext context, long inode, long handle, int type, boolean wait) {
        try {
            return lock(context, file(handle), LockSpec.flock(type, handle), patience(wait));
        } catch (FsException | RuntimeException | Error e) {
            return answers.of("flock", inode, e);
        }
    }

    @Override
    public int flockAfterClose(RequestContext context, long inode, long handle, int type) {
        try {
            return lock(context, file(handle), LockSpec.flock(type, handle), CLOSE_NOTICE_NANOS_MAX);
        } catch (FsException | RuntimeException | Error e) {
            int answer = answers.of("flock", inode, e);
            // The caller knows of no wait that a signal could end.
            return answer == -Errno.EINTR.value ? -Errno.EAGAIN.value : answer;
        }
    }

    private static long patience(boolean wait) {
        return wait ? Long.MAX_VALUE : 0;
    }

    private int lock(RequestContext context, OpenFile file, LockSpec lock, long waitNanosMax) throws FsException {
        client.lock(file, lock, waitNanosMax);
        context.dropsPages =
                binding != null && lock.type() != LockSpec.TYPE_UNLOCK && !isDirect(file) && !pages.areOf(file);
        return 0;
    }

    @Override
    public void dropPages(long inode, long handle) {
        OpenFile file = files.get(handle);
        FuseBinding carrier = binding;
        if (file != null && carrier != null) {
            Long before = pages.generation(inode);
            long generation = file.generation();
            // False if it knows nothing of the inode, which is as good.
            carrier.invalidateInode(inode, 0, 0);
            pages.dropped(inode, before, generation);
        }
    }

    @Override
    public int fallocate(RequestContext context, long inode, long handle, int mode, long offset, long length) {
        try {
            OpenFile file = file(handle);
            privileges.atChangeUnlessRoot(context, inode);
            client.fallocate(file, mode, offset, length);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answers.of("fallocate", inode, e);
        }
    }

    @Override
    public long lseek(RequestContext context, long inode, long handle, long offset, int whence) {
        try {
            return client.seek(file(handle), offset, whence);
        } catch (FsException | RuntimeException | Error e) {
            return answers.of("lseek", inode, e);
        }
    }

    @Override
    public int copyFileRange(
            RequestContext context,
            long inode,
            long handle,
            long offset,
            long targetInode,
            long targetHandle,
            long targetOffset,
            long length,
            int flags) {
        if (flags != 0) {
            return -Errno.EINVAL.value;
        }
        try {
            OpenFile source = file(handle);
            OpenFile target = file(targetHandle);
            privileges.atChangeUnlessRoot(context, targetInode);
            return client.copy(source, offset, target, targetOffset, length);
        } catch (FsException | RuntimeException | Error e) {
            return answers.of("copy_file_range", inode, e);
        }
    }

    @Override
    public int syncfs(RequestContext context) {
        try {
            client.sync();
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answers.of("syncfs", ROOT_INODE, e);
        }
    }
}
