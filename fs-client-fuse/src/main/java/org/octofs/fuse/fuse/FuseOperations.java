package org.octofs.fuse.fuse;

import java.lang.foreign.MemorySegment;

/**
 * What a file system answers to the kernel, one method per request of the low-level FUSE protocol.
 *
 * <p>Inodes are named by inode number (root is 1), open files by a handle that is never 0, names are the bytes that the
 * caller of the system call gave (1 to 255 of them, no '/' and no NUL).
 * Answers:    0, or a count where the method says so, or a negative Linux errno. An operation that is not there answers
 * {@code -ENOSYS}, which the kernel remembers until unmount for some of them. An inode that is gone is ESTALE, not ENOENT: the
 * kernel then looks its name up again.
 * Errors:     a binding turns anything thrown into EIO; implementations should not throw.
 * Threading:  called from many threads at once, also for one handle.
 * Ownership:  contexts, reply objects and segments belong to the calling thread and are only valid during the call.
 */
public interface FuseOperations {

    int ROOT_INODE = 1;

    /** Called once, before {@link #init}: what can make the kernel forget what it was told. */
    default void carriedBy(FuseBinding binding) {}

    /** The kernel was given the answer to a request, or none, whose context said that it {@link RequestContext#kept keeps} something. */
    default void answered(RequestContext context) {}

    /** Called once, before the first request. */
    default void init() {}

    /** Called once, after the last request. */
    default void destroy() {}

    /** Finds a name and counts one more reference of the kernel to the inode; "." and ".." are answered too. */
    int lookup(RequestContext context, long parent, byte[] name, EntryReply out);

    /** The kernel drops {@code lookups} of its references; there is no answer. */
    void forget(long inode, long lookups);

    int getattr(RequestContext context, long inode, long handle, AttributesReply out);

    /** Changes what {@code change} names; {@code handle} is not 0 when it came by descriptor. */
    int setattr(RequestContext context, long inode, long handle, AttributesChange change, AttributesReply out);

    int readlink(RequestContext context, long inode, BytesReply out);

    int mknod(RequestContext context, long parent, byte[] name, int mode, long device, EntryReply out);

    int mkdir(RequestContext context, long parent, byte[] name, int mode, EntryReply out);

    int unlink(RequestContext context, long parent, byte[] name);

    int rmdir(RequestContext context, long parent, byte[] name);

    int symlink(RequestContext context, long parent, byte[] name, byte[] target, EntryReply out);

    /** {@code flags} as in renameat2. */
    int rename(RequestContext context, long parent, byte[] name, long newParent, byte[] newName, int flags);

    int link(RequestContext context, long inode, long newParent, byte[] newName, EntryReply out);

    /** {@code flags} are those of open(2), O_TRUNC among them. */
    int open(RequestContext context, long inode, int flags, OpenReply out);

    int create(RequestContext context, long parent, byte[] name, int mode, int flags, EntryReply entry, OpenReply open);

    /**
     * Opens a new file without a name, as O_TMPFILE; unless {@code flags} has O_EXCL it may get one by {@link #link}. Its
     * entry is counted as one lookup.
     */
    default int tmpfile(RequestContext context, long parent, int mode, int flags, EntryReply entry, OpenReply open) {
        return -LinuxErrno.EOPNOTSUPP;
    }

    /** Answers the number of bytes put into {@code target} from {@code targetOffset} on; fewer than {@code size} at the end of the file. */
    int read(
            RequestContext context,
            long inode,
            long handle,
            long offset,
            MemorySegment target,
            long targetOffset,
            int size);

    /** Whether {@link #readInPlace} takes the place of {@link #read}; asked once. */
    default boolean readsInPlace() {
        return false;
    }

    /**
     * As {@link #read}, of bytes that lie in native memory and may be sent from there: no copy is made but the kernel's. They may be
     * overwritten meanwhile, by writes that come at the same time, but the memory must stay until the file is released.
     */
    default int readInPlace(RequestContext context, long inode, long handle, long offset, int size, BytesInPlace out) {
        return -LinuxErrno.ENOSYS;
    }

    /**
     * Answers the number of bytes taken.
     *
     * @param openFlags those of the open file: with O_APPEND the offset is void
     * @param dropPrivileges the writer may not keep the file's set-user-id and set-group-id bits
     */
    int write(
            RequestContext context,
            long inode,
            long handle,
            long offset,
            MemorySegment source,
            long sourceOffset,
            int size,
            int openFlags,
            boolean dropPrivileges);

    /** One descriptor of the file was closed: give back {@code lockOwner}'s POSIX locks, report errors of writes. */
    int flush(RequestContext context, long inode, long handle, long lockOwner);

    /** The last descriptor was closed: a flock of the handle ends with it. The kernel does not wait for the answer. */
    int release(RequestContext context, long inode, long handle, int openFlags);

    int fsync(RequestContext context, long inode, long handle, boolean dataOnly);

    int opendir(RequestContext context, long inode, int flags, OpenReply out);

    /** Adds entries from {@code cookie} on (0 is the start) until {@code out} is full; nothing added means the end. */
    int readdir(RequestContext context, long inode, long handle, long cookie, DirectoryBuffer out);

    /** Whether {@link #readdirplus} is there, and pays; asked once, before the mount. */
    default boolean listsWithAttributes() {
        return false;
    }

    /** As {@link #readdir}, each entry with what a lookup of it would answer, and counted as one. */
    default int readdirplus(RequestContext context, long inode, long handle, long cookie, EntrySink out) {
        return -LinuxErrno.ENOSYS;
    }

    int releasedir(RequestContext context, long inode, long handle);

    int fsyncdir(RequestContext context, long inode, long handle, boolean dataOnly);

    /** Makes everything durable that was written so far by anybody through this mount. */
    default int syncfs(RequestContext context) {
        return -LinuxErrno.ENOSYS;
    }

    int statfs(RequestContext context, long inode, StatisticsReply out);

    /**
     * {@code flags} as in setxattr(2).
     *
     * @param killSetGid with an access control list: the mode loses set-group-id
     */
    int setxattr(RequestContext context, long inode, byte[] name, byte[] value, int flags, boolean killSetGid);

    int getxattr(RequestContext context, long inode, byte[] name, BytesReply out);

    /** Names, each ended by a NUL. */
    int listxattr(RequestContext context, long inode, BytesReply out);

    int removexattr(RequestContext context, long inode, byte[] name);

    int access(RequestContext context, long inode, int mask);

    /** Puts the first lock that stands in the way of {@code lock} into it, or the type F_UNLCK. */
    int getlk(RequestContext context, long inode, long handle, long owner, LockRange lock);

    /** With {@code wait} it blocks, until {@link RequestContext#interrupted()}: then -EINTR. Without, -EAGAIN. Sets {@link RequestContext#dropsPages}. */
    int setlk(RequestContext context, long inode, long handle, long owner, LockRange lock, boolean wait);

    /**
     * Whole-file lock of flock(2), else as {@link #setlk}. It belongs to the handle, not to the owner that the kernel
     * names: that is the address of an open file, which the next open may get before the release of this one is served.
     *
     * @param type F_RDLCK, F_WRLCK or F_UNLCK, as in {@link LockRange}
     */
    int flock(RequestContext context, long inode, long handle, int type, boolean wait);

    /**
     * Asks once more for a {@link #flock} that was refused without waiting, and waits a moment: whoever holds it may be closed already, since
     * {@link #release} comes after close(2) has returned. Called by a thread that serves no requests. -EAGAIN if it is held still.
     */
    default int flockAfterClose(RequestContext context, long inode, long handle, int type) {
        return -LinuxErrno.EAGAIN;
    }

    /** Has the kernel drop what it keeps of an inode's data and attributes; see {@link RequestContext#dropsPages}, which says when. */
    default void dropPages(long inode, long handle) {}

    int fallocate(RequestContext context, long inode, long handle, int mode, long offset, long length);

    /** SEEK_DATA or SEEK_HOLE; answers the offset, which may be beyond an int. */
    default long lseek(RequestContext context, long inode, long handle, long offset, int whence) {
        return -LinuxErrno.ENOSYS;
    }

    /** Answers the number of bytes copied. */
    default int copyFileRange(
            RequestContext context,
            long inode,
            long handle,
            long offset,
            long targetInode,
            long targetHandle,
            long targetOffset,
            long length,
            int flags) {
        return -LinuxErrno.ENOSYS;
    }
}
