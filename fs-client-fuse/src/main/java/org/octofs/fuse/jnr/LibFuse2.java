package org.octofs.fuse.jnr;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/**
 * The functions of libfuse 2's low-level interface, and the three of libc that go with them.
 *
 * <p>Pointers are longs on this border: they are passed in the same registers, and nothing has to be allocated to hold one.
 * Threading: stateless; the library's own rules apply.
 */
final class LibFuse2 {
    static final String LIBRARY = "libfuse.so.2";

    // Static and final, or the compiler does not look through them. They are bound when the class is first used, in
    // load().
    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup FUNCTIONS = SymbolLookup.libraryLookup(LIBRARY, Arena.global());
    private static final MethodHandle MOUNT = longs("fuse_mount", 2);
    private static final MethodHandle UNMOUNT = nothing("fuse_unmount", 2);
    private static final MethodHandle LOW_LEVEL_NEW = longs("fuse_lowlevel_new", 4);
    private static final MethodHandle ADD_CHANNEL = nothing("fuse_session_add_chan", 2);
    private static final MethodHandle REMOVE_CHANNEL = nothing("fuse_session_remove_chan", 1);
    private static final MethodHandle DESTROY_SESSION = nothing("fuse_session_destroy", 1);
    private static final MethodHandle EXIT_SESSION = nothing("fuse_session_exit", 1);
    private static final MethodHandle DESTROY_CHANNEL = nothing("fuse_chan_destroy", 1);
    private static final MethodHandle BUFFER_SIZE = longs("fuse_chan_bufsize", 1);
    private static final MethodHandle RECEIVE = ints("fuse_chan_recv", JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle PROCESS = nothing("fuse_session_process", 4);
    private static final MethodHandle FREE_ARGUMENTS = nothing("fuse_opt_free_args", 1);
    private static final MethodHandle REQUEST_CONTEXT = longs("fuse_req_ctx", 1);
    private static final MethodHandle REQUEST_INTERRUPTED = ints("fuse_req_interrupted", JAVA_LONG);
    private static final MethodHandle REQUEST_INTERRUPT_FUNCTION = nothing("fuse_req_interrupt_func", 3);
    private static final MethodHandle REPLY_ERROR = ints("fuse_reply_err", JAVA_LONG, JAVA_INT);
    private static final MethodHandle REPLY_NONE = nothing("fuse_reply_none", 1);
    private static final MethodHandle REPLY_ENTRY = ints("fuse_reply_entry", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle REPLY_CREATE = ints("fuse_reply_create", JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle REPLY_ATTRIBUTES = ints("fuse_reply_attr", JAVA_LONG, JAVA_LONG, JAVA_DOUBLE);
    private static final MethodHandle REPLY_READLINK = ints("fuse_reply_readlink", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle REPLY_OPEN = ints("fuse_reply_open", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle REPLY_WRITE = ints("fuse_reply_write", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle REPLY_BUFFER = ints("fuse_reply_buf", JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle REPLY_STATISTICS = ints("fuse_reply_statfs", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle REPLY_ATTRIBUTE_SIZE = ints("fuse_reply_xattr", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle REPLY_LOCK = ints("fuse_reply_lock", JAVA_LONG, JAVA_LONG);
    private static final MethodHandle NOTIFY_ENTRY =
            ints("fuse_lowlevel_notify_inval_entry", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle NOTIFY_INODE =
            ints("fuse_lowlevel_notify_inval_inode", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);

    /** Only after {@link LibFuseLoader} has found the library. */
    LibFuse2() {}

    private static MethodHandle longs(String name, int parameterCount) {
        return bind(name, FunctionDescriptor.of(JAVA_LONG, pointers(parameterCount)));
    }

    private static MethodHandle ints(String name, MemoryLayout... parameters) {
        return bind(name, FunctionDescriptor.of(JAVA_INT, parameters));
    }

    private static MethodHandle nothing(String name, int parameterCount) {
        return bind(name, FunctionDescriptor.ofVoid(pointers(parameterCount)));
    }

    private static MemoryLayout[] pointers(int count) {
        MemoryLayout[] layouts = new MemoryLayout[count];
        java.util.Arrays.fill(layouts, JAVA_LONG);
        return layouts;
    }

    private static MethodHandle bind(String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(FUNCTIONS.find(name).orElseThrow(), descriptor);
    }

    /** A downcall throws nothing of its own; what comes here is a broken virtual machine. */
    private static AssertionError broken(Throwable e) {
        return new AssertionError("native call failed", e);
    }

    /** Answers the channel, or 0 after it has printed why. */
    long mount(long directory, long arguments) {
        try {
            return (long) MOUNT.invokeExact(directory, arguments);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    /** Unmounts lazily and destroys the channel. */
    void unmount(long directory, long channel) {
        try {
            UNMOUNT.invokeExact(directory, channel);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    long lowLevelNew(long arguments, long operations, long operationsBytes, long userData) {
        try {
            return (long) LOW_LEVEL_NEW.invokeExact(arguments, operations, operationsBytes, userData);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    void addChannel(long session, long channel) {
        try {
            ADD_CHANNEL.invokeExact(session, channel);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    void removeChannel(long channel) {
        try {
            REMOVE_CHANNEL.invokeExact(channel);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    void destroySession(long session) {
        try {
            DESTROY_SESSION.invokeExact(session);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    void exitSession(long session) {
        try {
            EXIT_SESSION.invokeExact(session);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    void destroyChannel(long channel) {
        try {
            DESTROY_CHANNEL.invokeExact(channel);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    int bufferBytes(long channel) {
        try {
            return (int) (long) BUFFER_SIZE.invokeExact(channel);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    /** Blocks for the next request; answers its length, 0 after the end of the session, or a negative errno. */
    int receive(long channelPointer, long buffer, long size) {
        try {
            return (int) RECEIVE.invokeExact(channelPointer, buffer, size);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    /** Decodes a request and calls the operation, on this thread. */
    void process(long session, long buffer, long length, long channel) {
        try {
            PROCESS.invokeExact(session, buffer, length, channel);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    void freeArguments(long arguments) {
        try {
            FREE_ARGUMENTS.invokeExact(arguments);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    long requestContext(long request) {
        try {
            return (long) REQUEST_CONTEXT.invokeExact(request);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    boolean requestInterrupted(long request) {
        try {
            return (int) REQUEST_INTERRUPTED.invokeExact(request) != 0;
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    void requestInterruptFunction(long request, long function, long data) {
        try {
            REQUEST_INTERRUPT_FUNCTION.invokeExact(request, function, data);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    /** {@code errno} is positive or 0. */
    int replyError(long request, int errno) {
        try {
            return (int) REPLY_ERROR.invokeExact(request, errno);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    void replyNone(long request) {
        try {
            REPLY_NONE.invokeExact(request);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    int replyEntry(long request, long entry) {
        try {
            return (int) REPLY_ENTRY.invokeExact(request, entry);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    int replyCreate(long request, long entry, long file) {
        try {
            return (int) REPLY_CREATE.invokeExact(request, entry, file);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    int replyAttributes(long request, long stat, double timeout) {
        try {
            return (int) REPLY_ATTRIBUTES.invokeExact(request, stat, timeout);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    int replyReadlink(long request, long target) {
        try {
            return (int) REPLY_READLINK.invokeExact(request, target);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    int replyOpen(long request, long file) {
        try {
            return (int) REPLY_OPEN.invokeExact(request, file);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    int replyWrite(long request, long count) {
        try {
            return (int) REPLY_WRITE.invokeExact(request, count);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    int replyBuffer(long request, long buffer, long size) {
        try {
            return (int) REPLY_BUFFER.invokeExact(request, buffer, size);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    int replyStatistics(long request, long statvfs) {
        try {
            return (int) REPLY_STATISTICS.invokeExact(request, statvfs);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    /** Answers how long an extended attribute is, to a caller that gave no buffer. */
    int replyAttributeSize(long request, long size) {
        try {
            return (int) REPLY_ATTRIBUTE_SIZE.invokeExact(request, size);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    int replyLock(long request, long flock) {
        try {
            return (int) REPLY_LOCK.invokeExact(request, flock);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    int notifyInvalidEntry(long channel, long parent, long name, long nameBytes) {
        try {
            return (int) NOTIFY_ENTRY.invokeExact(channel, parent, name, nameBytes);
        } catch (Throwable e) {
            throw broken(e);
        }
    }

    int notifyInvalidInode(long channel, long inode, long offset, long length) {
        try {
            return (int) NOTIFY_INODE.invokeExact(channel, inode, offset, length);
        } catch (Throwable e) {
            throw broken(e);
        }
    }
}
