package org.octofs.fuse.jnr;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import org.octofs.fuse.fuse.BytesReply;
import org.octofs.fuse.fuse.FuseOperations;
import org.octofs.fuse.fuse.LinuxErrno;

/**
 * Handlers of requests about inodes and names. Called by the library with a request and pointers that are valid during the
 * call; signatures are those of {@code struct fuse_lowlevel_ops}, with pointers, sizes and offsets as longs.
 */
final class NodeRequests extends Requests {

    NodeRequests(FuseOperations operations, LibFuse2 library) {
        super(operations, library);
    }

    void lookup(long request, long parent, long name) {
        LoopThread thread = LoopThread.current();
        int status;
        try {
            status = operations.lookup(thread.begin(request), parent, NativeMemory.string(name), thread.entry);
        } catch (Throwable e) {
            status = failed("lookup", parent, e);
        }
        replyEntry(request, status, thread);
    }

    void forget(long request, long inode, long count) {
        try {
            operations.forget(inode, count);
        } catch (Throwable e) {
            failed("forget", inode, e);
        }
        library.replyNone(request);
    }

    void forgetMulti(long request, long count, long pairs) {
        for (long i = 0; i < count; i++) {
            long pair = pairs + i * NativeStructs.FORGET_BYTES;
            long inode = NativeMemory.getLong(pair + NativeStructs.FORGET_INODE);
            try {
                operations.forget(inode, NativeMemory.getLong(pair + NativeStructs.FORGET_COUNT));
            } catch (Throwable e) {
                failed("forget", inode, e);
            }
        }
        library.replyNone(request);
    }

    void getattr(long request, long inode, long file) {
        LoopThread thread = LoopThread.current();
        int status;
        try {
            status = operations.getattr(thread.begin(request), inode, handle(file), thread.attributes);
        } catch (Throwable e) {
            status = failed("getattr", inode, e);
        }
        replyAttributes(request, status, thread);
    }

    void setattr(long request, long inode, long stat, int mask, long file) {
        LoopThread thread = LoopThread.current();
        int status;
        try {
            StatStruct.get(stat, mask, thread.change);
            status = operations.setattr(thread.begin(request), inode, handle(file), thread.change, thread.attributes);
        } catch (Throwable e) {
            status = failed("setattr", inode, e);
        }
        replyAttributes(request, status, thread);
    }

    void readlink(long request, long inode) {
        LoopThread thread = LoopThread.current();
        int status;
        try {
            thread.bytes.clear();
            status = operations.readlink(thread.begin(request), inode, thread.bytes);
        } catch (Throwable e) {
            status = failed("readlink", inode, e);
        }
        byte[] target = thread.bytes.get();
        if (status < 0) {
            library.replyError(request, -status);
        } else if (target.length >= thread.replyBuffer.byteSize()) {
            library.replyError(request, LinuxErrno.ENAMETOOLONG);
        } else {
            MemorySegment.copy(target, 0, thread.replyBuffer, JAVA_BYTE, 0, target.length);
            thread.replyBuffer.set(JAVA_BYTE, target.length, (byte) 0);
            library.replyReadlink(request, thread.replyBuffer.address());
        }
    }

    void mknod(long request, long parent, long name, int mode, long device) {
        LoopThread thread = LoopThread.current();
        int status;
        try {
            status = operations.mknod(
                    thread.begin(request), parent, NativeMemory.string(name), mode, device, thread.entry);
        } catch (Throwable e) {
            status = failed("mknod", parent, e);
        }
        replyEntry(request, status, thread);
    }

    void mkdir(long request, long parent, long name, int mode) {
        LoopThread thread = LoopThread.current();
        int status;
        try {
            status = operations.mkdir(thread.begin(request), parent, NativeMemory.string(name), mode, thread.entry);
        } catch (Throwable e) {
            status = failed("mkdir", parent, e);
        }
        replyEntry(request, status, thread);
    }

    void unlink(long request, long parent, long name) {
        int status;
        try {
            status = operations.unlink(LoopThread.current().begin(request), parent, NativeMemory.string(name));
        } catch (Throwable e) {
            status = failed("unlink", parent, e);
        }
        replyStatus(request, status);
    }

    void rmdir(long request, long parent, long name) {
        int status;
        try {
            status = operations.rmdir(LoopThread.current().begin(request), parent, NativeMemory.string(name));
        } catch (Throwable e) {
            status = failed("rmdir", parent, e);
        }
        replyStatus(request, status);
    }

    void symlink(long request, long target, long parent, long name) {
        LoopThread thread = LoopThread.current();
        int status;
        try {
            status = operations.symlink(
                    thread.begin(request),
                    parent,
                    NativeMemory.string(name),
                    NativeMemory.string(target),
                    thread.entry);
        } catch (Throwable e) {
            status = failed("symlink", parent, e);
        }
        replyEntry(request, status, thread);
    }

    void rename(long request, long parent, long name, long newParent, long newName) {
        int status;
        try {
            status = operations.rename(
                    LoopThread.current().begin(request),
                    parent,
                    NativeMemory.string(name),
                    newParent,
                    NativeMemory.string(newName),
                    0);
        } catch (Throwable e) {
            status = failed("rename", parent, e);
        }
        replyStatus(request, status);
    }

    void link(long request, long inode, long newParent, long newName) {
        LoopThread thread = LoopThread.current();
        int status;
        try {
            status = operations.link(
                    thread.begin(request), inode, newParent, NativeMemory.string(newName), thread.entry);
        } catch (Throwable e) {
            status = failed("link", inode, e);
        }
        replyEntry(request, status, thread);
    }

    void statfs(long request, long inode) {
        LoopThread thread = LoopThread.current();
        int status;
        try {
            status = operations.statfs(thread.begin(request), inode, thread.statistics);
        } catch (Throwable e) {
            status = failed("statfs", inode, e);
        }
        if (status < 0) {
            library.replyError(request, -status);
        } else {
            StatStruct.putStatistics(thread.struct, thread.statistics);
            library.replyStatistics(request, thread.struct.address());
        }
    }

    void setxattr(long request, long inode, long name, long value, long size, int flags) {
        int status;
        try {
            status = operations.setxattr(
                    LoopThread.current().begin(request),
                    inode,
                    NativeMemory.string(name),
                    NativeMemory.bytes(value, (int) size),
                    flags,
                    false);
        } catch (Throwable e) {
            status = failed("setxattr", inode, e);
        }
        replyStatus(request, status);
    }

    void getxattr(long request, long inode, long name, long size) {
        LoopThread thread = LoopThread.current();
        int status;
        try {
            thread.bytes.clear();
            status = operations.getxattr(thread.begin(request), inode, NativeMemory.string(name), thread.bytes);
        } catch (Throwable e) {
            status = failed("getxattr", inode, e);
        }
        replySized(request, status, thread, size);
    }

    void listxattr(long request, long inode, long size) {
        LoopThread thread = LoopThread.current();
        int status;
        try {
            thread.bytes.clear();
            status = operations.listxattr(thread.begin(request), inode, thread.bytes);
        } catch (Throwable e) {
            status = failed("listxattr", inode, e);
        }
        replySized(request, status, thread, size);
    }

    /** Answers bytes to a caller that has room for {@code size}, or their number to one that has room for none. */
    private void replySized(long request, int status, LoopThread thread, long size) {
        BytesReply reply = thread.bytes;
        int length = reply.get().length;
        if (status < 0) {
            library.replyError(request, -status);
        } else if (size == 0) {
            library.replyAttributeSize(request, length);
        } else if (length > Math.min(size, LoopThread.ATTRIBUTE_BYTES_MAX)) {
            library.replyError(request, LinuxErrno.ERANGE);
        } else {
            MemorySegment.copy(reply.get(), 0, thread.replyBuffer, JAVA_BYTE, 0, length);
            library.replyBuffer(request, thread.replyBuffer.address(), length);
        }
    }

    void removexattr(long request, long inode, long name) {
        int status;
        try {
            status = operations.removexattr(LoopThread.current().begin(request), inode, NativeMemory.string(name));
        } catch (Throwable e) {
            status = failed("removexattr", inode, e);
        }
        replyStatus(request, status);
    }

    void access(long request, long inode, int mask) {
        int status;
        try {
            status = operations.access(LoopThread.current().begin(request), inode, mask);
        } catch (Throwable e) {
            status = failed("access", inode, e);
        }
        replyStatus(request, status);
    }
}
