package org.octofs.fuse.jnr;

import java.lang.foreign.ValueLayout;
import java.util.function.ToIntFunction;
import org.octofs.fuse.fuse.FuseOperations;
import org.octofs.fuse.fuse.LinuxErrno;
import org.octofs.fuse.fuse.LockRange;

/**
 * Handlers of requests about open files and directories, locks among them. Called as {@link NodeRequests} are.
 */
final class FileRequests extends Requests {
    // flock(2)'s operations
    private static final int LOCK_SHARED = 1;
    private static final int LOCK_EXCLUSIVE = 2;
    private static final int LOCK_NO_WAIT = 4;

    /** In place of a status: somebody else answers. */
    private static final int HANDED_OVER = 1;

    private final LockWaiters waiters;

    FileRequests(FuseOperations operations, LibFuse2 library, LockWaiters waiters) {
        super(operations, library);
        this.waiters = waiters;
    }

    void open(long request, long inode, long file) {
        LoopThread thread = LoopThread.current();
        int flags = flags(file);
        int status;
        try {
            thread.open.clear();
            status = operations.open(thread.begin(request), inode, flags, thread.open);
        } catch (Throwable e) {
            status = failed("open", inode, e);
        }
        if (status < 0) {
            library.replyError(request, -status);
            return;
        }
        long handle = thread.open.handle;
        if (library.replyOpen(request, thread.putOpen()) != 0) {
            // Nobody took the answer: there will be no release.
            releaseQuietly(thread, inode, handle, flags);
        }
    }

    void create(long request, long parent, long name, int mode, long file) {
        LoopThread thread = LoopThread.current();
        int flags = flags(file);
        int status;
        try {
            thread.open.clear();
            status = operations.create(
                    thread.begin(request), parent, NativeMemory.string(name), mode, flags, thread.entry, thread.open);
        } catch (Throwable e) {
            status = failed("create", parent, e);
        }
        if (status < 0) {
            library.replyError(request, -status);
            return;
        }
        long inode = thread.entry.attributes.inode;
        long handle = thread.open.handle;
        if (library.replyCreate(request, thread.putEntry(), thread.putOpen()) != 0) {
            releaseQuietly(thread, inode, handle, flags);
            forgetQuietly(inode);
        }
    }

    private void releaseQuietly(LoopThread thread, long inode, long handle, int flags) {
        try {
            int status = operations.release(thread.context, inode, handle, flags);
            if (status != 0) {
                throw new IllegalStateException("release of an unused handle answered " + status);
            }
        } catch (Throwable e) {
            failed("release", inode, e);
        }
    }

    void read(long request, long inode, long size, long offset, long file) {
        LoopThread thread = LoopThread.current();
        int status;
        try {
            int wanted = (int) Math.min(size, thread.replyBuffer.byteSize());
            status = operations.read(thread.begin(request), inode, handle(file), offset, thread.replyBuffer, 0, wanted);
        } catch (Throwable e) {
            status = failed("read", inode, e);
        }
        if (status < 0) {
            library.replyError(request, -status);
        } else {
            library.replyBuffer(request, thread.replyBuffer.address(), status);
        }
    }

    void write(long request, long inode, long data, long size, long offset, long file) {
        LoopThread thread = LoopThread.current();
        int status;
        try {
            // The data lies in this thread's own buffer, where the request was received.
            status = operations.write(
                    thread.begin(request),
                    inode,
                    handle(file),
                    offset,
                    thread.receiveBuffer,
                    data - thread.receiveBuffer.address(),
                    (int) size,
                    flags(file),
                    dropsPrivileges(thread, data));
        } catch (Throwable e) {
            status = failed("write", inode, e);
        }
        if (status < 0) {
            library.replyError(request, -status);
        } else {
            library.replyWrite(request, status);
        }
    }

    /**
     * The library does not pass this flag on: it is in the request, in front of the data. The kernel sets it for direct
     * writes; before buffered ones it changes the mode itself.
     */
    private static boolean dropsPrivileges(LoopThread thread, long data) {
        long at = data - thread.receiveBuffer.address() - NativeStructs.WRITE_REQUEST_BYTES;
        int flags = thread.receiveBuffer.get(ValueLayout.JAVA_INT, at + NativeStructs.WRITE_REQUEST_FLAGS);
        return (flags & NativeStructs.WRITE_FLAG_DROP_PRIVILEGES) != 0;
    }

    void flush(long request, long inode, long file) {
        int status;
        try {
            status = operations.flush(LoopThread.current().begin(request), inode, handle(file), lockOwner(file));
        } catch (Throwable e) {
            status = failed("flush", inode, e);
        }
        replyStatus(request, status);
    }

    void release(long request, long inode, long file) {
        int status;
        try {
            status = operations.release(LoopThread.current().begin(request), inode, handle(file), flags(file));
        } catch (Throwable e) {
            status = failed("release", inode, e);
        }
        replyStatus(request, status);
    }

    void fsync(long request, long inode, int dataOnly, long file) {
        int status;
        try {
            status = operations.fsync(LoopThread.current().begin(request), inode, handle(file), dataOnly != 0);
        } catch (Throwable e) {
            status = failed("fsync", inode, e);
        }
        replyStatus(request, status);
    }

    void opendir(long request, long inode, long file) {
        LoopThread thread = LoopThread.current();
        int status;
        try {
            thread.open.clear();
            status = operations.opendir(thread.begin(request), inode, flags(file), thread.open);
        } catch (Throwable e) {
            status = failed("opendir", inode, e);
        }
        if (status < 0) {
            library.replyError(request, -status);
            return;
        }
        long handle = thread.open.handle;
        if (library.replyOpen(request, thread.putOpen()) != 0) {
            try {
                operations.releasedir(thread.context, inode, handle);
            } catch (Throwable e) {
                failed("releasedir", inode, e);
            }
        }
    }

    void readdir(long request, long inode, long size, long offset, long file) {
        LoopThread thread = LoopThread.current();
        int status;
        try {
            thread.directory.reset(thread.replyBuffer, (int) Math.min(size, thread.replyBuffer.byteSize()));
            status = operations.readdir(thread.begin(request), inode, handle(file), offset, thread.directory);
        } catch (Throwable e) {
            status = failed("readdir", inode, e);
        }
        if (status < 0) {
            library.replyError(request, -status);
        } else {
            library.replyBuffer(request, thread.replyBuffer.address(), thread.directory.sizeBytes());
        }
    }

    void releasedir(long request, long inode, long file) {
        int status;
        try {
            status = operations.releasedir(LoopThread.current().begin(request), inode, handle(file));
        } catch (Throwable e) {
            status = failed("releasedir", inode, e);
        }
        replyStatus(request, status);
    }

    void fsyncdir(long request, long inode, int dataOnly, long file) {
        int status;
        try {
            status = operations.fsyncdir(LoopThread.current().begin(request), inode, handle(file), dataOnly != 0);
        } catch (Throwable e) {
            status = failed("fsyncdir", inode, e);
        }
        replyStatus(request, status);
    }

    void fallocate(long request, long inode, int mode, long offset, long length, long file) {
        int status;
        try {
            status = operations.fallocate(
                    LoopThread.current().begin(request), inode, handle(file), mode, offset, length);
        } catch (Throwable e) {
            status = failed("fallocate", inode, e);
        }
        replyStatus(request, status);
    }

    void getlk(long request, long inode, long file, long flock) {
        LoopThread thread = LoopThread.current();
        int status;
        try {
            StatStruct.getLock(flock, thread.lock);
            status = operations.getlk(thread.begin(request), inode, handle(file), lockOwner(file), thread.lock);
        } catch (Throwable e) {
            status = failed("getlk", inode, e);
        }
        if (status < 0) {
            library.replyError(request, -status);
        } else {
            StatStruct.putLock(thread.struct, thread.lock);
            library.replyLock(request, thread.struct.address());
        }
    }

    void setlk(long request, long inode, long file, long flock, int wait) {
        LoopThread thread = LoopThread.current();
        int status;
        try {
            StatStruct.getLock(flock, thread.lock);
            SessionContext context = thread.begin(request);
            long handle = handle(file);
            long owner = lockOwner(file);
            status = operations.setlk(context, inode, handle, owner, thread.lock, false);
            if (status == -LinuxErrno.EAGAIN && wait != 0) {
                LockRange range = copy(thread.lock);
                status = waitFor(
                        context, inode, handle, later -> operations.setlk(later, inode, handle, owner, range, true));
            } else if (status == 0 && context.dropsPages) {
                status = later(context, inode, handle, _ -> 0);
            }
        } catch (Throwable e) {
            status = failed("setlk", inode, e);
        }
        if (status != HANDED_OVER) {
            replyStatus(request, status);
        }
    }

    private int waitFor(SessionContext context, long inode, long handle, ToIntFunction<SessionContext> lock) {
        return waiters.mayWait() ? later(context, inode, handle, lock) : -LinuxErrno.ENOLCK;
    }

    /** The rest of a request for a lock is done, and answered, by a thread that serves no others: the kernel may wait for those when it drops pages. */
    private int later(SessionContext context, long inode, long handle, ToIntFunction<SessionContext> lock) {
        SessionContext later = context.handedOver();
        waiters.start(later, inode, () -> {
            int status = lock.applyAsInt(later);
            if (status == 0 && later.dropsPages) {
                operations.dropPages(inode, handle);
            }
            return status;
        });
        return HANDED_OVER;
    }

    private static LockRange copy(LockRange from) {
        LockRange to = new LockRange();
        to.type = from.type;
        to.firstByte = from.firstByte;
        to.lastByte = from.lastByte;
        to.pid = from.pid;
        return to;
    }

    void flock(long request, long inode, long file, int operation) {
        int status;
        try {
            SessionContext context = LoopThread.current().begin(request);
            long handle = handle(file);
            int type = switch (operation & ~LOCK_NO_WAIT) {
                case LOCK_SHARED -> LockRange.READ;
                case LOCK_EXCLUSIVE -> LockRange.WRITE;
                default -> LockRange.UNLOCK;
            };
            status = operations.flock(context, inode, handle, type, false);
            if (status == -LinuxErrno.EAGAIN && (operation & LOCK_NO_WAIT) == 0) {
                status = waitFor(context, inode, handle, later -> operations.flock(later, inode, handle, type, true));
            } else if (status == -LinuxErrno.EAGAIN && waiters.mayWait()) {
                status = later(context, inode, handle, later -> operations.flockAfterClose(later, inode, handle, type));
            } else if (status == 0 && context.dropsPages) {
                status = later(context, inode, handle, _ -> 0);
            }
        } catch (Throwable e) {
            status = failed("flock", inode, e);
        }
        if (status != HANDED_OVER) {
            replyStatus(request, status);
        }
    }
}
