package org.octofs.fuse.jnr;

import org.octofs.fuse.fuse.FuseOperations;
import org.octofs.fuse.fuse.LinuxErrno;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the handlers of requests share: answers, and the rule that nothing is thrown into native code, which would end the
 * process. Each handler answers its request exactly once.
 */
abstract class Requests {
    private static final Logger LOG = LoggerFactory.getLogger(Requests.class);

    final FuseOperations operations;
    final LibFuse2 library;

    Requests(FuseOperations operations, LibFuse2 library) {
        this.operations = operations;
        this.library = library;
    }

    /** Records what an operation threw, which it should not, and answers for it. */
    static int failed(String operation, long inode, Throwable thrown) {
        LOG.error("{} of inode {} failed, answered EIO", operation, inode, thrown);
        return -LinuxErrno.EIO;
    }

    /** For answers that are only a status. */
    void replyStatus(long request, int status) {
        library.replyError(request, status < 0 ? -status : 0);
    }

    void replyEntry(long request, int status, LoopThread thread) {
        if (status < 0) {
            library.replyError(request, -status);
            return;
        }
        long inode = thread.entry.attributes.inode;
        if (library.replyEntry(request, thread.putEntry()) != 0 && inode != 0) {
            // Nobody took the answer (the caller was killed): the kernel does not count the reference that it names.
            forgetQuietly(inode);
        }
    }

    void forgetQuietly(long inode) {
        try {
            operations.forget(inode, 1);
        } catch (Throwable e) {
            failed("forget", inode, e);
        }
    }

    void replyAttributes(long request, int status, LoopThread thread) {
        if (status < 0) {
            library.replyError(request, -status);
        } else {
            library.replyAttributes(request, thread.putAttributes(), thread.attributes.timeoutSeconds);
        }
    }

    static long handle(long file) {
        return file == 0 ? 0 : NativeMemory.getLong(file + NativeStructs.FILE_HANDLE);
    }

    static int flags(long file) {
        return NativeMemory.getInt(file + NativeStructs.FILE_FLAGS);
    }

    static long lockOwner(long file) {
        return NativeMemory.getLong(file + NativeStructs.FILE_LOCK_OWNER);
    }
}
