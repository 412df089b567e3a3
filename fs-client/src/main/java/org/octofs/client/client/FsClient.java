package org.octofs.client.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.protocol.Errno;

/**
 * The whole file system, by inode number; the root directory is inode 1. Names are bytes, 1 to 255, of any kind but '/'
 * and NUL.
 *
 * <p>Every method fails with {@link FsException}: with the errno that the call of the same name would set, or with EIO
 * and words if a server did not answer within {@link ClientConfig#operationDeadline}. Permissions are not checked; who
 * asks is the caller's business.
 *
 * <p>Threading: all methods from any thread, blocking. Durability: names and attributes are durable at their home when
 * a method returns; data is after {@link #fsync}, {@link #flush} and each write of a DSYNC handle or of a client with
 * {@link Consistency#STRICT}. Reads and writes allocate nothing in steady state.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class FsClient implements AutoCloseable {
    private FsClient() {}

    /**
     * Connects to a cluster.
     *
     * @throws IOException in words for the user: no server answers, a server of another cluster, no transport
     */
    public static FsClient connect(ClusterMap map, ClientConfig config) throws IOException {
        throw new FsException(Errno.ENOSYS);
    }

    /** Commits what is pending, gives everything back and disconnects. Idempotent. */
    @Override
    public void close() {}

    /** Counts of this client. */
    public ClientCounters counters() {
        throw new UnsupportedOperationException();
    }

    /** The configuration. */
    public ClientConfig config() {
        throw new UnsupportedOperationException();
    }

    // Names.

    /** Finds a name; "." and ".." too. Errors: ENOENT, ENOTDIR, ENAMETOOLONG. */
    public void lookup(long parent, byte[] name, Attributes out) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /**
     * Opens a file, making it if it is absent; EXCL and TRUNC of {@code openFlags} are honoured.
     *
     * @param mode permissions of a new file
     * @param out gets the attributes
     */
    public OpenFile create(long parent, byte[] name, int mode, int uid, int gid, int openFlags, Attributes out)
            throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /** Makes a file of any type but directory and symlink; {@code mode} holds the type. Errors: EEXIST and others. */
    public void mknod(long parent, byte[] name, int mode, long rdev, int uid, int gid, Attributes out)
            throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /** Makes a directory. */
    public void mkdir(long parent, byte[] name, int mode, int uid, int gid, Attributes out) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /** Makes a symbolic link; {@code target} has 1 to 4095 bytes. */
    public void symlink(long parent, byte[] name, byte[] target, int uid, int gid, Attributes out) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /** Gives a file one more name. Errors: EEXIST, EPERM for directories, EMLINK. */
    public void link(long ino, long newParent, byte[] newName, Attributes out) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /** Removes a name. Errors: ENOENT, EISDIR. */
    public void unlink(long parent, byte[] name) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /** Removes an empty directory. Errors: ENOENT, ENOTDIR, ENOTEMPTY. */
    public void rmdir(long parent, byte[] name) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /** Renames; {@code flags} as of renameat2(2): 1 NOREPLACE, 2 EXCHANGE. */
    public void rename(long parent, byte[] name, long newParent, byte[] newName, int flags) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /** Target of a symbolic link. Errors: EINVAL if it is none. */
    public byte[] readlink(long ino) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /** Begins a listing. Errors: ENOTDIR. */
    public OpenDirectory openDirectory(long ino) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /**
     * Delivers entries until the sink is full or there are no more (then it returns without a refused entry).
     *
     * @param cookie 0 for the first, else the nextCookie of the last entry taken
     */
    public void readDirectory(OpenDirectory directory, long cookie, DirectorySink sink) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /** Ends a listing. */
    public void releaseDirectory(OpenDirectory directory) {}

    /** fsync of a directory: nothing to do, entries are durable when their operation has returned. */
    public void syncDirectory(OpenDirectory directory) {}

    // Attributes.

    /** Reads attributes. Errors: ENOENT if the inode is gone. */
    public void getAttributes(long ino, Attributes out) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /** Changes attributes, the size too; {@code out} gets the result. */
    public void setAttributes(long ino, AttributeChange change, Attributes out) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /** Space of the whole cluster. */
    public void statfs(FsStatistics out) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /** Value of an extended attribute. Errors: ENODATA. */
    public byte[] getXattr(long ino, byte[] name) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /** Sets one; {@code flags}: XATTR_CREATE 1, XATTR_REPLACE 2. Errors: EEXIST, ENODATA, E2BIG, ENOSPC. */
    public void setXattr(long ino, byte[] name, byte[] value, int flags) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /** Names, each followed by NUL. */
    public byte[] listXattr(long ino) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /** Removes one. Errors: ENODATA. */
    public void removeXattr(long ino, byte[] name) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    // Data.

    /** Opens a regular file; TRUNC of {@code openFlags} is honoured. Errors: ENOENT, EISDIR. */
    public OpenFile open(long ino, int openFlags) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /**
     * Reads into native or heap memory.
     *
     * @return bytes read, fewer than asked only at the end of the file; 0 at or behind it
     */
    public int read(OpenFile file, long offset, MemorySegment target, long targetOffset, int length)
            throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /**
     * Writes. With an O_APPEND handle the offset is ignored, see {@link OpenFile#lastAppendEnd}.
     *
     * @return bytes written, fewer than asked only if space ran out in the middle. Errors: ENOSPC, EFBIG
     */
    public int write(OpenFile file, long offset, MemorySegment source, long sourceOffset, int length)
            throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /**
     * What close(2) does: commits, reports a deferred error once, and drops POSIX locks of {@code lockOwner} (0: of
     * nobody).
     */
    public void flush(OpenFile file, long lockOwner) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /** Makes written data durable, and attributes too; reports a deferred error once. */
    public void fsync(OpenFile file, boolean dataOnly) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /** Gives the handle back; commits what no flush has; drops its flock. Never fails; idempotent. */
    public void release(OpenFile file) {}

    /** fallocate(2); {@code mode}: 0, KEEP_SIZE 1, PUNCH_HOLE 2 (with 1), ZERO_RANGE 16. Errors: EOPNOTSUPP, ENOSPC. */
    public void fallocate(OpenFile file, int mode, long offset, long length) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /** lseek(2) with SEEK_DATA 3 or SEEK_HOLE 4. Errors: ENXIO, EINVAL. */
    public long seek(OpenFile file, long offset, int whence) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    // Locks.

    /**
     * Sets or clears a lock.
     *
     * @param wait whether to wait for conflicting locks to go, without end; an interrupt ends it with EINTR
     * @throws FsException EAGAIN on conflict
     */
    public void lock(OpenFile file, LockSpec lock, boolean wait) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }

    /** A lock that conflicts, or one of TYPE_UNLOCK if there is none. */
    public LockSpec testLock(OpenFile file, LockSpec lock) throws FsException {
        throw new FsException(Errno.ENOSYS);
    }
}
