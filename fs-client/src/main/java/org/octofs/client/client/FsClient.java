package org.octofs.client.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import org.octofs.client.data.FileData;
import org.octofs.client.data.FileState;
import org.octofs.client.lease.Leases;
import org.octofs.client.link.Links;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.OpCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
public final class FsClient implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FsClient.class);

    // Modes of fallocate.
    private static final int KEEP_SIZE = 1;
    private static final int PUNCH_HOLE = 2;
    private static final int ZERO_RANGE = 16;

    /** Flag of rename: both names exist and are swapped. */
    private static final int RENAME_EXCHANGE = 2;

    private static final int TARGET_BYTES_MAX = 4095;
    private static final int ALL_PERMISSIONS = 0777;

    // Whence of seek.
    private static final int SEEK_DATA = 3;
    private static final int SEEK_HOLE = 4;

    private final ClientConfig config;
    private final Connections connections;
    private final Links links;
    private final FileData data;
    private final Metadata metadata;
    private final Names names;
    private final AccessTimes accessTimes;
    private final Directories directories;
    private final Xattrs xattrs;
    private final OpenFileLocks locks;
    private final Leases leases;
    private final AtomicBoolean closed = new AtomicBoolean();

    private FsClient(ClusterMap map, ClientConfig config) throws IOException {
        this.config = config;
        HeldLocks held = new HeldLocks();
        connections = new Connections(map, config, held);
        links = connections.links();
        data = new FileData(links, map.shardCount());
        connections.serveReclaims(data);
        metadata = new Metadata(links, data);
        names = new Names(metadata);
        accessTimes = new AccessTimes(metadata, config.accessTimes());
        directories = new Directories(metadata, accessTimes);
        xattrs = new Xattrs(metadata, accessTimes);
        locks = new OpenFileLocks(new Locks(metadata, held), data);
        leases = new Leases(links);
        links.ownChanges(leases::changed);
    }

    /**
     * Connects to a cluster.
     *
     * @throws IOException in words for the user: a server does not answer, is of another cluster, no transport
     */
    public static FsClient connect(ClusterMap map, ClientConfig config) throws IOException {
        FsClient client = new FsClient(map, config);
        boolean success = false;
        try {
            client.connections.awaitServers();
            success = true;
            LOG.info("client of cluster {} ({}): {}", map.name(), map.id(), config);
            return client;
        } finally {
            if (!success) {
                client.close();
            }
        }
    }

    /** Commits what is pending, gives everything back and disconnects. Idempotent. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            data.close();
            leases.close();
            connections.close();
        }
    }

    /** Counts of this client. */
    public ClientCounters counters() {
        return links.counters();
    }

    /** What a kernel above this client may keep; off until it is started. */
    public Leases leases() {
        return leases;
    }

    /** The configuration. */
    public ClientConfig config() {
        return config;
    }

    // Names.

    /** Finds a name; "." and ".." too. Errors: ENOENT, ENOTDIR, ENAMETOOLONG. */
    public void lookup(long parent, byte[] name, Attributes out) throws FsException {
        names.lookup(parent, name, out);
    }

    /**
     * Opens a file, making it if it is absent; EXCL and TRUNC of {@code openFlags} are honoured.
     *
     * @param mode permissions of a new file
     * @param out gets the attributes
     */
    public OpenFile create(long parent, byte[] name, int mode, int uid, int gid, int openFlags, Attributes out)
            throws FsException {
        return create(parent, name, mode, 0, uid, gid, openFlags, out);
    }

    /** As above; {@code umask} counts unless the directory has a default access control list. */
    public OpenFile create(
            long parent, byte[] name, int mode, int umask, int uid, int gid, int openFlags, Attributes out)
            throws FsException {
        FileState file = names.createAndOpen(parent, name, mode, umask, uid, gid, openFlags, out);
        return opened(file, openFlags);
    }

    /**
     * Makes and opens a file without a name in a directory, as O_TMPFILE does. It ends with its last handle, unless {@link
     * #link} gives it a name, which EXCL of {@code openFlags} forbids.
     */
    public OpenFile createUnnamed(long parent, int mode, int umask, int uid, int gid, int openFlags, Attributes out)
            throws FsException {
        return opened(names.createUnnamed(parent, mode, umask, uid, gid, openFlags, out), openFlags);
    }

    private OpenFile opened(FileState state, int openFlags) {
        OpenFile file = new OpenFile(state, openFlags);
        accessTimes.opened(file);
        return file;
    }

    /** Makes a file of any type but directory and symlink; {@code mode} holds the type. Errors: EEXIST and others. */
    public void mknod(long parent, byte[] name, int mode, long rdev, int uid, int gid, Attributes out)
            throws FsException {
        mknod(parent, name, mode, 0, rdev, uid, gid, out);
    }

    /** As above; {@code umask} counts unless the directory has a default access control list. */
    public void mknod(long parent, byte[] name, int mode, int umask, long rdev, int uid, int gid, Attributes out)
            throws FsException {
        if (FileMode.isDirectory(mode) || FileMode.isSymlink(mode)) {
            throw new FsException(Errno.EINVAL);
        }
        int typed = FileMode.type(mode) == 0 ? mode | FileMode.REGULAR : mode;
        names.make(parent, name, typed, umask, rdev, new byte[0], uid, gid, out);
    }

    /** Makes a directory. */
    public void mkdir(long parent, byte[] name, int mode, int uid, int gid, Attributes out) throws FsException {
        mkdir(parent, name, mode, 0, uid, gid, out);
    }

    /** As above; {@code umask} counts unless the directory has a default access control list, which is inherited. */
    public void mkdir(long parent, byte[] name, int mode, int umask, int uid, int gid, Attributes out)
            throws FsException {
        if (names.mkdir(parent, name, mode, umask, uid, gid, out) && out.linkCount() != 0) {
            xattrs.inherit(parent, out.ino(), out);
        }
    }

    /** Makes a symbolic link; {@code target} has 1 to 4095 bytes. */
    public void symlink(long parent, byte[] name, byte[] target, int uid, int gid, Attributes out) throws FsException {
        if (target.length == 0 || target.length > TARGET_BYTES_MAX) {
            throw new FsException(target.length == 0 ? Errno.ENOENT : Errno.ENAMETOOLONG);
        }
        names.make(parent, name, FileMode.SYMLINK | ALL_PERMISSIONS, 0, 0, target, uid, gid, out);
    }

    /** Gives a file one more name. Errors: EEXIST, EPERM for directories, EMLINK. */
    public void link(long ino, long newParent, byte[] newName, Attributes out) throws FsException {
        names.link(ino, newParent, newName, out);
    }

    /** Removes a name. Errors: ENOENT, EISDIR. */
    public void unlink(long parent, byte[] name) throws FsException {
        remove(OpCode.UNLINK, parent, name);
    }

    /** Removes an empty directory; answers its inode number. Errors: ENOENT, ENOTDIR, ENOTEMPTY. */
    public long rmdir(long parent, byte[] name) throws FsException {
        return remove(OpCode.RMDIR, parent, name);
    }

    private long remove(int opCode, long parent, byte[] name) throws FsException {
        boolean kept = leases.namesChange(parent, parent, false);
        try {
            return names.remove(opCode, parent, name);
        } catch (FsException e) {
            if (e.errno() == Errno.EIO) {
                leases.outcomeUnknown(parent, parent);
            }
            throw e;
        } finally {
            if (kept) {
                leases.namesChanged(parent, parent);
            }
        }
    }

    /**
     * Renames; {@code flags} as of renameat2(2): 1 NOREPLACE, 2 EXCHANGE.
     *
     * @return number of the inode that had the new name and has lost it; 0 if there was none
     */
    public long rename(long parent, byte[] name, long newParent, byte[] newName, int flags) throws FsException {
        boolean exchanges = (flags & RENAME_EXCHANGE) != 0;
        boolean kept = leases.namesChange(parent, newParent, exchanges);
        try {
            long replaced = names.rename(parent, name, newParent, newName, flags, leases::moved);
            if (exchanges && leases.isOn()) {
                swapped(parent, name);
            }
            return replaced;
        } catch (FsException e) {
            if (e.errno() == Errno.EIO) {
                leases.outcomeUnknown(parent, newParent);
            }
            // Linux looks first for what the new name stands for on the way up from the old one, and calls it not
            // empty.
            boolean upward = e.errno() == Errno.EISDIR && names.isAbove(newParent, newName, parent);
            throw upward ? new FsException(Errno.ENOTEMPTY) : e;
        } finally {
            if (kept) {
                leases.namesChanged(parent, newParent);
            }
        }
    }

    /** The answer to an exchange names only one of the inodes that it has changed. */
    private void swapped(long parent, byte[] name) throws FsException {
        Attributes other = new Attributes();
        try {
            names.lookup(parent, name, other);
            leases.changed(other.ino());
            leases.moved(other.ino());
        } catch (FsException e) {
            if (e.errno() != Errno.ENOENT && e.errno() != Errno.ESTALE) {
                throw e;
            }
        }
    }

    /** Target of a symbolic link. Errors: EINVAL if it is none. */
    public byte[] readlink(long ino) throws FsException {
        return xattrs.readlink(ino);
    }

    /** Begins a listing. Errors: ENOTDIR. */
    public OpenDirectory openDirectory(long ino) throws FsException {
        return directories.open(ino);
    }

    /**
     * Delivers entries until the sink is full or there are no more (then it returns without a refused entry).
     *
     * @param cookie 0 for the first, else the nextCookie of the last entry taken
     */
    public void readDirectory(OpenDirectory directory, long cookie, DirectorySink sink) throws FsException {
        directories.read(directory, cookie, sink);
    }

    /**
     * As {@link #readDirectory}, with the attributes of those entries whose inodes have the same home: all by one round trip. Delivers
     * a part, nothing only at the end. Looking up what was delivered is cheap afterwards, as long as the directory is unchanged.
     *
     * @param count about how many entries there is room for
     */
    public void readDirectoryWithAttributes(OpenDirectory directory, long cookie, int count, AttributesSink sink)
            throws FsException {
        directories.readWithAttributes(directory, cookie, count, sink);
    }

    /** Ends a listing. */
    public void releaseDirectory(OpenDirectory directory) {}

    /** fsync of a directory: nothing to do, entries are durable when their operation has returned. */
    public void syncDirectory(OpenDirectory directory) {}

    // Attributes.

    /** Reads attributes. Errors: ESTALE if the inode is gone. */
    public void getAttributes(long ino, Attributes out) throws FsException {
        metadata.getAttributes(ino, out);
    }

    /** Changes attributes, the size too; {@code out} gets the result. */
    public void setAttributes(long ino, AttributeChange change, Attributes out) throws FsException {
        metadata.setAttributes(ino, change, out);
    }

    /** Space of the whole cluster. */
    public void statfs(FsStatistics out) throws FsException {
        metadata.statfs(out);
    }

    /** Value of an extended attribute. Errors: ENODATA. */
    public byte[] getXattr(long ino, byte[] name) throws FsException {
        return xattrs.get(ino, name);
    }

    /**
     * Sets one; {@code flags}: XATTR_CREATE 1, XATTR_REPLACE 2, and KILL_SET_GID of {@link org.octofs.rpc.protocol.XattrFlags}.
     * Errors: EEXIST, ENODATA, E2BIG, ENOSPC; EINVAL for a value that is no access control list under the name of one.
     */
    public void setXattr(long ino, byte[] name, byte[] value, int flags) throws FsException {
        xattrs.set(ino, name, value, flags);
    }

    /** Names, each followed by NUL. */
    public byte[] listXattr(long ino) throws FsException {
        return xattrs.list(ino);
    }

    /** Removes one. Errors: ENODATA. */
    public void removeXattr(long ino, byte[] name) throws FsException {
        xattrs.remove(ino, name);
    }

    // Data.

    /** Opens a regular file; TRUNC of {@code openFlags} is honoured. Errors: ESTALE, EISDIR, ELOOP (a symbolic link), ENXIO (a device, a fifo). */
    public OpenFile open(long ino, int openFlags) throws FsException {
        FileState file = data.open(ino);
        if ((openFlags & OpenFlags.TRUNC) != 0) {
            boolean success = false;
            try {
                data.truncate(ino, 0);
                success = true;
            } finally {
                if (!success) {
                    data.release(file);
                }
            }
        }
        return opened(file, openFlags);
    }

    /**
     * Reads into native or heap memory.
     *
     * @return bytes read, fewer than asked only at the end of the file; 0 at or behind it
     */
    public int read(OpenFile file, long offset, MemorySegment target, long targetOffset, int length)
            throws FsException {
        boolean huge = target.byteSize() > Integer.MAX_VALUE;
        int count = huge
                ? data.read(file.state(), offset, target.asSlice(targetOffset, length), 0, length)
                : data.read(file.state(), offset, target, targetOffset, length);
        accessTimes.read(file);
        return count;
    }

    /** The file was read. */
    void accessed(OpenFile file) {
        accessTimes.read(file);
    }

    /** Whether the next read by this handle may have to move the access time of the file. */
    public boolean isAccessTimeDue(OpenFile file) {
        return accessTimes.isDue(file);
    }

    /**
     * Writes. With an O_APPEND handle the offset is ignored, see {@link OpenFile#lastAppendEnd}.
     *
     * @return bytes written, fewer than asked only if space ran out in the middle. Errors: ENOSPC, EFBIG
     */
    public int write(OpenFile file, long offset, MemorySegment source, long sourceOffset, int length)
            throws FsException {
        return write(file, file.isAppend(), offset, source, sourceOffset, length);
    }

    /** As above; {@code append} says what O_APPEND of the handle is at the moment. */
    public int write(OpenFile file, boolean append, long offset, MemorySegment source, long sourceOffset, int length)
            throws FsException {
        boolean direct = Natives.isDirect(source);
        MemorySegment from = direct ? source : Natives.readable(source, sourceOffset, length);
        long fromOffset = direct ? sourceOffset : 0;
        if (append) {
            return data.append(file.state(), from, fromOffset, length, file::lastAppendEnd);
        }
        return data.write(file.state(), offset, from, fromOffset, length, commitsEachWrite(file));
    }

    /**
     * What close(2) does: commits, reports a deferred error once, and drops POSIX locks of {@code lockOwner} (0: of
     * nobody).
     */
    public void flush(OpenFile file, long lockOwner) throws FsException {
        try {
            commit(file);
        } finally {
            locks.closed(file, lockOwner);
        }
    }

    /** Makes written data durable, and attributes too; reports a deferred error once. */
    public void fsync(OpenFile file, boolean dataOnly) throws FsException {
        commit(file);
    }

    private void commit(OpenFile file) throws FsException {
        try {
            data.commit(file.state());
        } catch (FsException e) {
            file.errorReported();
            throw e;
        }
        file.throwDeferredError();
    }

    /** Commits everything that was written through this client so far. */
    public void sync() throws FsException {
        data.commitAll();
    }

    /** Gives the handle back; commits what no flush has; drops its flock, and POSIX locks that no
     * {@link #flush} of their owner has. Never fails; idempotent. */
    public void release(OpenFile file) {
        if (!file.markReleased()) {
            return;
        }
        locks.released(file);
        data.release(file.state());
    }

    /** fallocate(2); {@code mode}: 0, KEEP_SIZE 1, PUNCH_HOLE 2 (with 1), ZERO_RANGE 16. Errors: EOPNOTSUPP, ENOSPC. */
    public void fallocate(OpenFile file, int mode, long offset, long length) throws FsException {
        if (offset < 0 || length <= 0) {
            throw new FsException(Errno.EINVAL);
        }
        boolean keepSize = (mode & KEEP_SIZE) != 0;
        switch (mode & ~KEEP_SIZE) {
            case 0 -> data.allocate(file.state(), offset, length, keepSize);
            case PUNCH_HOLE -> {
                if (!keepSize) {
                    throw new FsException(Errno.EOPNOTSUPP);
                }
                data.punch(file.state(), offset, length);
            }
            case ZERO_RANGE -> data.zero(file.state(), offset, length, keepSize);
            default -> throw new FsException(Errno.EOPNOTSUPP);
        }
    }

    /**
     * Copies bytes from one open file to another, or within one, where the ranges must not overlap. Whole blocks are copied at
     * their nodes where that is possible.
     *
     * @return bytes copied, fewer than asked at the end of the source, and never more than a few MiB at a time; 0 at its end
     */
    public int copy(OpenFile source, long offset, OpenFile target, long targetOffset, long length) throws FsException {
        return new FileCopy(this, data, source, target, commitsEachWrite(target)).run(offset, targetOffset, length);
    }

    /** lseek(2) with SEEK_DATA 3 or SEEK_HOLE 4. Errors: ENXIO, EINVAL. */
    public long seek(OpenFile file, long offset, int whence) throws FsException {
        if (whence != SEEK_DATA && whence != SEEK_HOLE) {
            throw new FsException(Errno.EINVAL);
        }
        return data.seek(file.state(), offset, whence == SEEK_DATA);
    }

    // Locks.

    /**
     * Sets or clears a lock. What this client has written to the file is committed before one is given up; once one is had, what others have
     * changed is seen, see {@link OpenFile#generation}.
     *
     * @param wait whether to wait for conflicting locks to go, without end
     * @throws FsException as {@link #lock(OpenFile, LockSpec, long)}
     */
    public void lock(OpenFile file, LockSpec lock, boolean wait) throws FsException {
        lock(file, lock, wait ? Long.MAX_VALUE : 0);
    }

    /**
     * The same, with a bounded wait.
     *
     * @param waitNanosMax how long to wait for conflicting locks to go; an interrupt ends it with EINTR
     * @throws FsException EAGAIN on conflict, EDEADLK for a wait for a POSIX lock that would never end, as far as this
     *     client's own locks say
     */
    public void lock(OpenFile file, LockSpec lock, long waitNanosMax) throws FsException {
        locks.lock(file, lock, waitNanosMax);
    }

    /** A lock that conflicts, or one of TYPE_UNLOCK if there is none. */
    public LockSpec testLock(OpenFile file, LockSpec lock) throws FsException {
        return locks.test(file, lock);
    }

    private boolean commitsEachWrite(OpenFile file) {
        return (file.flags() & OpenFlags.DSYNC) != 0 || config.consistency() == Consistency.STRICT;
    }
}
