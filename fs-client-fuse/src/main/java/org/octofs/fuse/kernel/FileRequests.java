package org.octofs.fuse.kernel;

import org.octofs.fuse.fuse.BytesInPlace;
import org.octofs.fuse.fuse.DirectoryBuffer;
import org.octofs.fuse.fuse.EntryReply;
import org.octofs.fuse.fuse.FuseOperations;
import org.octofs.fuse.fuse.LinuxErrno;
import org.octofs.fuse.fuse.LockRange;
import org.octofs.fuse.fuse.OpenReply;

/**
 * Requests on open files and directories. Each method answers 0 or a negative errno and, with 0, has put the body into
 * the answer.
 *
 * <p>Threading: confined to its loop's thread.
 */
final class FileRequests {
    private static final int OPEN_KILL_SUIDGID = 1;
    private static final int WRITE_KILL_SUIDGID = 1 << 2;
    private static final int FSYNC_DATA_ONLY = 1;

    private final FuseOperations operations;
    private final NodeRequests nodes;
    private final Request request;
    private final Answer answer;
    private final OpenReply open = new OpenReply();
    private final EntryReply entry = new EntryReply();
    private final DirectoryBuffer directory = new DirectoryBuffer();
    private final ListingWithAttributes entries;
    private final boolean inPlace;
    private final BytesInPlace place = new BytesInPlace();
    private final LockRange lock = new LockRange();

    FileRequests(FuseOperations operations, NodeRequests nodes, Request request, Answer answer) {
        this.operations = operations;
        this.nodes = nodes;
        this.request = request;
        this.answer = answer;
        entries = new ListingWithAttributes(answer);
        inPlace = operations.readsInPlace();
    }

    int open() {
        open.clear();
        int flags = request.int32(KernelLayouts.OpenIn.FLAGS_OFFSET);
        if ((request.int32(KernelLayouts.OpenIn.OPEN_FLAGS_OFFSET) & OPEN_KILL_SUIDGID) != 0) {
            nodes.killPrivileges(0);
        }
        return opened(operations.open(request, request.node(), flags, open));
    }

    int create() {
        open.clear();
        request.umask = request.int32(KernelLayouts.CreateIn.UMASK_OFFSET);
        int result = operations.create(
                request,
                request.node(),
                request.string(KernelLayouts.CreateIn.SIZE_BYTES),
                request.int32(KernelLayouts.CreateIn.MODE_OFFSET),
                request.int32(KernelLayouts.CreateIn.FLAGS_OFFSET),
                entry,
                open);
        if (result == 0) {
            answer.entry(entry);
        }
        return opened(result);
    }

    /** As a CREATE, whose name means nothing. */
    int tmpfile() {
        open.clear();
        request.umask = request.int32(KernelLayouts.CreateIn.UMASK_OFFSET);
        int result = operations.tmpfile(
                request,
                request.node(),
                request.int32(KernelLayouts.CreateIn.MODE_OFFSET),
                request.int32(KernelLayouts.CreateIn.FLAGS_OFFSET),
                entry,
                open);
        if (result == 0) {
            answer.entry(entry);
        }
        return opened(result);
    }

    int read() {
        int size = request.size(KernelLayouts.ReadIn.SIZE_OFFSET, answer.capacityBytes());
        if (inPlace) {
            return readInPlace(size);
        }
        int result = operations.read(
                request,
                request.node(),
                request.int64(KernelLayouts.ReadIn.FH_OFFSET),
                request.int64(KernelLayouts.ReadIn.OFFSET_OFFSET),
                answer.memory(),
                Answer.BODY,
                size);
        if (result >= 0) {
            answer.filled(result);
            return 0;
        }
        return result;
    }

    private int readInPlace(int size) {
        int result = operations.readInPlace(
                request,
                request.node(),
                request.int64(KernelLayouts.ReadIn.FH_OFFSET),
                request.int64(KernelLayouts.ReadIn.OFFSET_OFFSET),
                size,
                place);
        if (result >= 0) {
            answer.place(place.memory, place.offset, result);
            return 0;
        }
        return result;
    }

    int write() {
        long handle = request.int64(KernelLayouts.ReadIn.FH_OFFSET);
        int size = request.int32(KernelLayouts.ReadIn.SIZE_OFFSET);
        int dataAt = request.body(KernelLayouts.ReadIn.SIZE_BYTES, size);
        int result = operations.write(
                request,
                request.node(),
                handle,
                request.int64(KernelLayouts.ReadIn.OFFSET_OFFSET),
                request.memory(),
                dataAt,
                size,
                request.int32(KernelLayouts.ReadIn.OPEN_FLAGS_OFFSET),
                (request.int32(KernelLayouts.ReadIn.IO_FLAGS_OFFSET) & WRITE_KILL_SUIDGID) != 0);
        return counted(result);
    }

    int flush() {
        return operations.flush(
                request,
                request.node(),
                request.int64(KernelLayouts.FlushIn.FH_OFFSET),
                request.int64(KernelLayouts.FlushIn.LOCK_OWNER_OFFSET));
    }

    int release() {
        return operations.release(
                request,
                request.node(),
                request.int64(KernelLayouts.ReleaseIn.FH_OFFSET),
                request.int32(KernelLayouts.ReleaseIn.FLAGS_OFFSET));
    }

    int fsync() {
        return operations.fsync(request, request.node(), request.int64(KernelLayouts.FsyncIn.FH_OFFSET), dataOnly());
    }

    int opendir() {
        open.clear();
        return opened(
                operations.opendir(request, request.node(), request.int32(KernelLayouts.OpenIn.FLAGS_OFFSET), open));
    }

    int readdir() {
        int size = request.size(KernelLayouts.ReadIn.SIZE_OFFSET, answer.capacityBytes());
        directory.reset(answer.memory().asSlice(Answer.BODY, size), size);
        int result = operations.readdir(
                request,
                request.node(),
                request.int64(KernelLayouts.ReadIn.FH_OFFSET),
                request.int64(KernelLayouts.ReadIn.OFFSET_OFFSET),
                directory);
        if (result == 0) {
            answer.filled(directory.sizeBytes());
        }
        return result;
    }

    int readdirplus() {
        entries.reset(request.size(KernelLayouts.ReadIn.SIZE_OFFSET, answer.capacityBytes()));
        int result = operations.readdirplus(
                request,
                request.node(),
                request.int64(KernelLayouts.ReadIn.FH_OFFSET),
                request.int64(KernelLayouts.ReadIn.OFFSET_OFFSET),
                entries);
        if (result == 0 || entries.sizeBytes() > 0) {
            // What was taken is counted as looked up: it must reach the kernel, whatever came after it.
            answer.filled(entries.sizeBytes());
            return 0;
        }
        return result;
    }

    int releasedir() {
        return operations.releasedir(request, request.node(), request.int64(KernelLayouts.ReleaseIn.FH_OFFSET));
    }

    int fsyncdir() {
        return operations.fsyncdir(request, request.node(), request.int64(KernelLayouts.FsyncIn.FH_OFFSET), dataOnly());
    }

    int getlk() {
        LockWait.read(request, lock);
        int result = operations.getlk(
                request,
                request.node(),
                request.int64(KernelLayouts.LockIn.FH_OFFSET),
                request.int64(KernelLayouts.LockIn.OWNER_OFFSET),
                lock);
        if (result == 0) {
            answer.int64(lock.firstByte);
            answer.int64(lock.lastByte);
            answer.int64((lock.pid & 0xFFFF_FFFFL) << Integer.SIZE | (lock.type & 0xFFFF_FFFFL));
        }
        return result;
    }

    /** A lock that need not be waited for; {@link LockWait} has the others. */
    int setlk() {
        LockWait.read(request, lock);
        long handle = request.int64(KernelLayouts.LockIn.FH_OFFSET);
        long owner = request.int64(KernelLayouts.LockIn.OWNER_OFFSET);
        return LockWait.isFlock(request)
                ? operations.flock(request, request.node(), handle, lock.type, false)
                : operations.setlk(request, request.node(), handle, owner, lock, false);
    }

    int fallocate() {
        return operations.fallocate(
                request,
                request.node(),
                request.int64(KernelLayouts.FallocateIn.FH_OFFSET),
                request.int32(KernelLayouts.FallocateIn.MODE_OFFSET),
                request.int64(KernelLayouts.FallocateIn.OFFSET_OFFSET),
                request.int64(KernelLayouts.FallocateIn.LENGTH_OFFSET));
    }

    int lseek() {
        long result = operations.lseek(
                request,
                request.node(),
                request.int64(KernelLayouts.LseekIn.FH_OFFSET),
                request.int64(KernelLayouts.LseekIn.OFFSET_OFFSET),
                request.int32(KernelLayouts.LseekIn.WHENCE_OFFSET));
        if (result < 0) {
            return (int) result;
        }
        answer.int64(result);
        return 0;
    }

    int copyFileRange() {
        return counted(copied());
    }

    /** Of the operation with a longer answer; what is copied at once is no more for that. */
    int copyFileRange64() {
        int result = copied();
        if (result >= 0) {
            answer.int64(result);
            return 0;
        }
        return result;
    }

    private int copied() {
        return operations.copyFileRange(
                request,
                request.node(),
                request.int64(KernelLayouts.CopyIn.FH_IN_OFFSET),
                request.int64(KernelLayouts.CopyIn.OFFSET_IN_OFFSET),
                request.int64(KernelLayouts.CopyIn.NODE_OUT_OFFSET),
                request.int64(KernelLayouts.CopyIn.FH_OUT_OFFSET),
                request.int64(KernelLayouts.CopyIn.OFFSET_OUT_OFFSET),
                request.int64(KernelLayouts.CopyIn.LENGTH_OFFSET),
                (int) request.int64(KernelLayouts.CopyIn.FLAGS_OFFSET));
    }

    /** Undoes a request that has succeeded and whose caller will never know: closes what it has opened. */
    void takeBack() {
        switch (request.opcode()) {
            case KernelOpcode.OPEN -> operations.release(request, request.node(), open.handle, 0);
            case KernelOpcode.CREATE, KernelOpcode.TMPFILE ->
                operations.release(request, entry.attributes.inode, open.handle, 0);
            case KernelOpcode.OPENDIR -> operations.releasedir(request, request.node(), open.handle);
            default -> {
                // Nothing is left of it.
            }
        }
    }

    private boolean dataOnly() {
        return (request.int32(KernelLayouts.FsyncIn.FLAGS_OFFSET) & FSYNC_DATA_ONLY) != 0;
    }

    private int opened(int result) {
        if (result == 0) {
            answer.open(open);
            return open.handle == 0 ? -LinuxErrno.EIO : 0;
        }
        return result;
    }

    private int counted(int result) {
        if (result >= 0) {
            answer.count(result);
            return 0;
        }
        return result;
    }
}
