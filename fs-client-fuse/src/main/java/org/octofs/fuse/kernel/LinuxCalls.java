package org.octofs.fuse.kernel;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * The system calls that the binding makes. Each answers the call's result, or minus its errno.
 *
 * <p>Threading: any thread, each with a {@link CallState} of its own. The calls may block; none is critical.
 */
final class LinuxCalls {
    static final int O_RDWR = 2;
    static final int O_CLOEXEC = 0x80000;
    static final int MS_RDONLY = 1;
    static final int EINTR = 4;
    static final int EAGAIN = 11;
    static final int EACCES = 13;
    static final int ENODEV = 19;
    static final int ENOENT = 2;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup LIBC = LINKER.defaultLookup();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final MemoryLayout STATE_LAYOUT = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO_HANDLE =
            STATE_LAYOUT.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final MemoryLayout POINTER = ValueLayout.ADDRESS;

    private static final MethodHandle OPEN =
            handle("open", FunctionDescriptor.of(INT, POINTER, INT), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle CLOSE = handle("close", FunctionDescriptor.of(INT, INT));
    private static final MethodHandle READ = handle("read", FunctionDescriptor.of(LONG, INT, POINTER, LONG));
    private static final MethodHandle WRITE = handle("write", FunctionDescriptor.of(LONG, INT, POINTER, LONG));
    private static final MethodHandle WRITEV = handle("writev", FunctionDescriptor.of(LONG, INT, POINTER, INT));
    private static final MethodHandle IOCTL =
            handle("ioctl", FunctionDescriptor.of(INT, INT, LONG, POINTER), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle MOUNT =
            handle("mount", FunctionDescriptor.of(INT, POINTER, POINTER, POINTER, LONG, POINTER));
    private static final MethodHandle GETUID = handle("getuid", FunctionDescriptor.of(INT));
    private static final MethodHandle GETGID = handle("getgid", FunctionDescriptor.of(INT));

    private LinuxCalls() {}

    /** Where a call leaves its errno; one per thread. */
    static final class CallState {
        private final MemorySegment memory;

        CallState(Arena arena) {
            memory = arena.allocate(STATE_LAYOUT);
        }

        private int errno() {
            return (int) ERRNO_HANDLE.get(memory, 0L);
        }
    }

    static int open(CallState state, MemorySegment path, int flags) {
        try {
            return result(state, (int) OPEN.invokeExact(state.memory, path, flags));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int close(CallState state, int descriptor) {
        try {
            return result(state, (int) CLOSE.invokeExact(state.memory, descriptor));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static long read(CallState state, int descriptor, MemorySegment target, long lengthBytes) {
        try {
            return result(state, (long) READ.invokeExact(state.memory, descriptor, target, lengthBytes));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static long write(CallState state, int descriptor, MemorySegment source, long lengthBytes) {
        try {
            return result(state, (long) WRITE.invokeExact(state.memory, descriptor, source, lengthBytes));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** {@code parts} is an array of struct iovec, {address, bytes} each. */
    static long writev(CallState state, int descriptor, MemorySegment parts, int count) {
        try {
            return result(state, (long) WRITEV.invokeExact(state.memory, descriptor, parts, count));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int ioctl(CallState state, int descriptor, long request, MemorySegment argument) {
        try {
            return result(state, (int) IOCTL.invokeExact(state.memory, descriptor, request, argument));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int mount(
            CallState state,
            MemorySegment source,
            MemorySegment target,
            MemorySegment type,
            long flags,
            MemorySegment data) {
        try {
            return result(state, (int) MOUNT.invokeExact(state.memory, source, target, type, flags, data));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int getuid(CallState state) {
        try {
            return (int) GETUID.invokeExact(state.memory);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int getgid(CallState state) {
        try {
            return (int) GETGID.invokeExact(state.memory);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** An exception whose message ends with the errno's usual words. */
    static IOException failure(String what, int errno) {
        return new IOException(what + ": " + words(errno));
    }

    private static String words(int errno) {
        return switch (errno) {
            case 1 -> "not permitted (EPERM)";
            case 2 -> "no such file or directory (ENOENT)";
            case 12 -> "no memory (ENOMEM)";
            case 13 -> "permission denied (EACCES)";
            case 16 -> "busy (EBUSY): a program has a file open or its working directory there";
            case 19 -> "the kernel has no FUSE (ENODEV); try 'modprobe fuse'";
            case 20 -> "not a directory (ENOTDIR)";
            case 22 -> "refused by the kernel (EINVAL)";
            default -> "errno " + errno;
        };
    }

    private static int result(CallState state, int answer) {
        return answer < 0 ? -state.errno() : answer;
    }

    private static long result(CallState state, long answer) {
        return answer < 0 ? -state.errno() : answer;
    }

    private static MethodHandle handle(String name, FunctionDescriptor descriptor, Linker.Option... more) {
        Linker.Option[] options = new Linker.Option[more.length + 1];
        options[0] = ERRNO;
        System.arraycopy(more, 0, options, 1, more.length);
        return LINKER.downcallHandle(LIBC.findOrThrow(name), descriptor, options);
    }

    private static IllegalStateException unexpected(Throwable e) {
        return new IllegalStateException("a system call threw", e);
    }
}
