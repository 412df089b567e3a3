package org.octofs.fuse.fuse;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.LockSpec;
import org.octofs.client.client.OpenDirectory;
import org.octofs.client.client.OpenFile;
import org.octofs.rpc.protocol.Errno;

/**
 * Serves the mount from the client library: one method per operation, translation only.
 *
 * <p>Threading:  any thread, as the client.
 * Errors:     {@link #answer} turns what was thrown into an errno; nothing else leaves.
 * Ownership:  of the open files and directories behind the handles it gave out, until their release; not of the client.
 */
public final class FuseAdapter implements FuseOperations {
    // Cookies of "." and ".."; those of the client are larger.
    private static final long COOKIE_AFTER_SELF = 1;
    private static final long COOKIE_AFTER_PARENT = 2;
    private static final int TYPE_DIRECTORY = 0x4000;
    private static final int PRIVILEGE_BITS = 06000;
    private static final byte[] SELF = {'.'};
    private static final byte[] PARENT = {'.', '.'};

    private final FsClient client;
    private final AdapterPolicy policy;
    private final HandleTable<OpenFile> files = new HandleTable<>();
    private final HandleTable<OpenDirectory> directories = new HandleTable<>();
    private final PageCacheLedger pages = new PageCacheLedger();
    private final FaultLog faults = new FaultLog();

    public FuseAdapter(FsClient client, AdapterPolicy policy) {
        this.client = client;
        this.policy = policy;
    }

    /** Operations that failed through a fault of ours. */
    public long faultCount() {
        return faults.count();
    }

    /** The one way from an exception to an answer. */
    private int answer(String operation, long inode, Throwable thrown) {
        if (thrown instanceof FsException e) {
            return e.errno().isForApplications() ? -e.errno().value : -Errno.EIO.value;
        }
        faults.record(operation, inode, thrown);
        return -Errno.EIO.value;
    }

    /** As {@link #answer}, for operations on an inode that the kernel named by number: one that is gone is stale. */
    private int answerInode(String operation, long inode, Throwable thrown) {
        int answer = answer(operation, inode, thrown);
        // The kernel resolves the path once more after ESTALE, and then gets ENOENT, or the file that has the name now.
        return answer == -Errno.ENOENT.value ? -Errno.ESTALE.value : answer;
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
            client.lookup(parent, name, translation.attributes);
            fill(translation, out);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answer("lookup", parent, e);
        }
    }

    @Override
    public void forget(long inode, long lookups) {
        // The client counts no references; only the pages go with the kernel's last one.
        pages.drop(inode);
    }

    @Override
    public int getattr(RequestContext context, long inode, long handle, AttributesReply out) {
        try {
            ClientTranslation translation = ClientTranslation.ofThread();
            client.getAttributes(inode, translation.attributes);
            fill(translation, out);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answerInode("getattr", inode, e);
        }
    }

    @Override
    public int setattr(RequestContext context, long inode, long handle, AttributesChange change, AttributesReply out) {
        try {
            ClientTranslation translation = ClientTranslation.ofThread();
            client.setAttributes(inode, translation.change(change), translation.attributes);
            fill(translation, out);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answerInode("setattr", inode, e);
        }
    }

    @Override
    public int readlink(RequestContext context, long inode, BytesReply out) {
        try {
            out.set(client.readlink(inode));
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answerInode("readlink", inode, e);
        }
    }

    @Override
    public int mknod(RequestContext context, long parent, byte[] name, int mode, long device, EntryReply out) {
        try {
            ClientTranslation translation = ClientTranslation.ofThread();
            client.mknod(parent, name, mode, device, context.uid, context.gid, translation.attributes);
            fill(translation, out);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answer("mknod", parent, e);
        }
    }

    @Override
    public int mkdir(RequestContext context, long parent, byte[] name, int mode, EntryReply out) {
        try {
            ClientTranslation translation = ClientTranslation.ofThread();
            client.mkdir(parent, name, mode, context.uid, context.gid, translation.attributes);
            fill(translation, out);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answer("mkdir", parent, e);
        }
    }

    @Override
    public int unlink(RequestContext context, long parent, byte[] name) {
        try {
            client.unlink(parent, name);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answer("unlink", parent, e);
        }
    }

    @Override
    public int rmdir(RequestContext context, long parent, byte[] name) {
        try {
            client.rmdir(parent, name);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answer("rmdir", parent, e);
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
            return answer("symlink", parent, e);
        }
    }

    @Override
    public int rename(RequestContext context, long parent, byte[] name, long newParent, byte[] newName, int flags) {
        try {
            client.rename(parent, name, newParent, newName, flags);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answer("rename", parent, e);
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
            return answer("link", inode, e);
        }
    }

    @Override
    public int open(RequestContext context, long inode, int flags, OpenReply out) {
        try {
            opened(client.open(inode, flags), out);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answerInode("open", inode, e);
        }
    }

    @Override
    public int create(
            RequestContext context, long parent, byte[] name, int mode, int flags, EntryReply entry, OpenReply open) {
        try {
            ClientTranslation translation = ClientTranslation.ofThread();
            OpenFile file = client.create(parent, name, mode, context.uid, context.gid, flags, translation.attributes);
            fill(translation, entry);
            opened(file, open);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answer("create", parent, e);
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
        out.directIo = policy.allDirect() || file.isAppend();
        if (out.directIo) {
            pages.drop(file.ino());
        } else {
            out.keepCache = pages.opened(file.ino(), file.cacheGeneration());
        }
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
            return answer("read", inode, e);
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
                dropPrivileges(inode);
            }
            int count = client.write(file, offset, source, sourceOffset, size);
            if (file.isAppend()) {
                pages.drop(inode);
            }
            return count;
        } catch (FsException | RuntimeException | Error e) {
            return answer("write", inode, e);
        }
    }

    private void dropPrivileges(long inode) throws FsException {
        ClientTranslation translation = ClientTranslation.ofThread();
        client.getAttributes(inode, translation.attributes);
        if ((translation.attributes.mode() & PRIVILEGE_BITS) != 0) {
            client.setAttributes(inode, translation.change.clear().killPrivileges(), translation.attributes);
        }
    }

    @Override
    public int flush(RequestContext context, long inode, long handle, long lockOwner) {
        try {
            client.flush(file(handle), lockOwner);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answer("flush", inode, e);
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
            return answer("release", inode, e);
        }
    }

    @Override
    public int fsync(RequestContext context, long inode, long handle, boolean dataOnly) {
        try {
            client.fsync(file(handle), dataOnly);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answer("fsync", inode, e);
        }
    }

    @Override
    public int opendir(RequestContext context, long inode, int flags, OpenReply out) {
        try {
            out.handle = directories.add(client.openDirectory(inode));
            return out.handle == 0 ? -Errno.ENFILE.value : 0;
        } catch (FsException | RuntimeException | Error e) {
            return answerInode("opendir", inode, e);
        }
    }

    @Override
    public int readdir(RequestContext context, long inode, long handle, long cookie, DirectoryBuffer out) {
        try {
            OpenDirectory directory = directory(handle);
            if (cookie < COOKIE_AFTER_SELF && !out.add(inode, TYPE_DIRECTORY, SELF, COOKIE_AFTER_SELF)) {
                return 0;
            }
            if (cookie < COOKIE_AFTER_PARENT
                    && !out.add(directory.parentIno(), TYPE_DIRECTORY, PARENT, COOKIE_AFTER_PARENT)) {
                return 0;
            }
            client.readDirectory(directory, cookie <= COOKIE_AFTER_PARENT ? 0 : cookie, out::add);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answer("readdir", inode, e);
        }
    }

    private OpenDirectory directory(long handle) throws FsException {
        OpenDirectory directory = directories.get(handle);
        if (directory == null) {
            throw new FsException(Errno.EBADF);
        }
        return directory;
    }

    @Override
    public int releasedir(RequestContext context, long inode, long handle) {
        try {
            OpenDirectory directory = directories.remove(handle);
            if (directory == null) {
                return -Errno.EBADF.value;
            }
            client.releaseDirectory(directory);
            return 0;
        } catch (RuntimeException | Error e) {
            return answer("releasedir", inode, e);
        }
    }

    @Override
    public int fsyncdir(RequestContext context, long inode, long handle, boolean dataOnly) {
        try {
            client.syncDirectory(directory(handle));
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answer("fsyncdir", inode, e);
        }
    }

    @Override
    public int statfs(RequestContext context, long inode, StatisticsReply out) {
        try {
            ClientTranslation translation = ClientTranslation.ofThread();
            client.statfs(translation.statistics);
            translation.statisticsTo(out);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answer("statfs", inode, e);
        }
    }

    /** Name spaces that mean something here. ACLs ("system.") would have to be enforced, which nobody does yet. */
    private static void checkNameSpace(byte[] name) throws FsException {
        String text = new String(name, StandardCharsets.ISO_8859_1);
        if (!text.startsWith("user.") && !text.startsWith("trusted.") && !text.startsWith("security.")) {
            throw new FsException(Errno.EOPNOTSUPP);
        }
    }

    @Override
    public int setxattr(RequestContext context, long inode, byte[] name, byte[] value, int flags) {
        try {
            checkNameSpace(name);
            client.setXattr(inode, name, value, flags);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answerInode("setxattr", inode, e);
        }
    }

    @Override
    public int getxattr(RequestContext context, long inode, byte[] name, BytesReply out) {
        try {
            checkNameSpace(name);
            out.set(client.getXattr(inode, name));
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answerInode("getxattr", inode, e);
        }
    }

    @Override
    public int listxattr(RequestContext context, long inode, BytesReply out) {
        try {
            out.set(client.listXattr(inode));
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answerInode("listxattr", inode, e);
        }
    }

    @Override
    public int removexattr(RequestContext context, long inode, byte[] name) {
        try {
            checkNameSpace(name);
            client.removeXattr(inode, name);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answerInode("removexattr", inode, e);
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
            return answer("getlk", inode, e);
        }
    }

    @Override
    public int setlk(RequestContext context, long inode, long handle, long owner, LockRange lock, boolean wait) {
        try {
            client.lock(file(handle), ClientTranslation.lock(lock, owner), wait);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answer("setlk", inode, e);
        }
    }

    @Override
    public int flock(RequestContext context, long inode, long handle, int type, boolean wait) {
        try {
            client.lock(file(handle), LockSpec.flock(type, handle), wait);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answer("flock", inode, e);
        }
    }

    @Override
    public int fallocate(RequestContext context, long inode, long handle, int mode, long offset, long length) {
        try {
            client.fallocate(file(handle), mode, offset, length);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answer("fallocate", inode, e);
        }
    }

    @Override
    public long lseek(RequestContext context, long inode, long handle, long offset, int whence) {
        try {
            return client.seek(file(handle), offset, whence);
        } catch (FsException | RuntimeException | Error e) {
            return answer("lseek", inode, e);
        }
    }
}
