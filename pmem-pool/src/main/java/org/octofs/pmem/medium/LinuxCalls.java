package org.octofs.pmem.medium;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;

/**
 * The few system calls that the JDK does not offer. Every method answers 0 (or a descriptor) or a negative errno, and is
 * for opening and creating pools only: each call allocates.
 */
final class LinuxCalls {
    static final int EINTR = 4;
    static final int EWOULDBLOCK = 11;
    static final int ENOMEM = 12;
    static final int EFAULT = 14;
    static final int ENOSPC = 28;
    static final int EOPNOTSUPP = 95;
    static final int EHWPOISON = 133;

    static final int O_RDONLY = 0;
    static final int O_RDWR = 2;
    private static final int O_CLOEXEC = 0x80000;

    static final int LOCK_SHARED = 1;
    static final int LOCK_EXCLUSIVE = 2;
    private static final int LOCK_NONBLOCKING = 4;

    static final int ADVISE_HUGE_PAGES = 14;
    static final int ADVISE_POPULATE_READ = 22;
    static final int ADVISE_POPULATE_WRITE = 23;
    static final int ADVISE_COLLAPSE = 25;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MemoryLayout CALL_STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle OPEN = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("open"),
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
            Linker.Option.captureCallState("errno"),
            Linker.Option.firstVariadicArg(2));
    private static final MethodHandle CLOSE = capturing("close", ValueLayout.JAVA_INT);
    private static final MethodHandle FLOCK = capturing("flock", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
    private static final MethodHandle FALLOCATE = capturing(
            "fallocate", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
    private static final MethodHandle MADVISE =
            capturing("madvise", ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT);

    private static final MethodHandle MMAP = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("mmap"),
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_LONG),
            Linker.Option.captureCallState("errno"));
    private static final MethodHandle MUNMAP = capturing("munmap", ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);
    private static final int PROT_READ = 1;
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_SHARED = 1;
    private static final int MAP_ANONYMOUS = 0x20;
    private static final int MAP_PRIVATE_NORESERVE = 0x2 | 0x4000;

    private LinuxCalls() {}

    private static MethodHandle capturing(String name, MemoryLayout... arguments) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments),
                Linker.Option.captureCallState("errno"));
    }

    private static int answer(int result, MemorySegment state) {
        return result >= 0 ? result : -(int) ERRNO.get(state, 0L);
    }

    /** Opens an existing file; the descriptor is not inherited by child processes. */
    static int open(Path path, int flags) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CALL_STATE);
            return answer(
                    (int) OPEN.invokeExact(state, arena.allocateFrom(path.toString()), flags | O_CLOEXEC, 0), state);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static void close(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CALL_STATE);
            // The answer does not matter: Linux releases the descriptor, and with it the lock, even when it reports an
            // error.
            int ignored = (int) CLOSE.invokeExact(state, descriptor);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * Locks the open file description, not waiting. Unlike fcntl locks (which {@code FileChannel.lock} takes) it is not lost
     * when some other part of this process opens and closes the same file, as the fabric and llpl do.
     */
    static int lock(int descriptor, int kind) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CALL_STATE);
            return answer((int) FLOCK.invokeExact(state, descriptor, kind | LOCK_NONBLOCKING), state);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int fallocate(int descriptor, long offset, long lengthBytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CALL_STATE);
            return answer((int) FALLOCATE.invokeExact(state, descriptor, 0, offset, lengthBytes), state);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int advise(long address, long lengthBytes, int advice) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CALL_STATE);
            return answer((int) MADVISE.invokeExact(state, address, lengthBytes, advice), state);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * Maps a file, copying pages when they are first written to, and without claiming memory for all of them beforehand (a
     * pool may be larger than the machine's memory; the JDK's private mapping does claim it, and wants a writable file).
     *
     * @return the address, or a negative errno
     */
    static long mapPrivately(int descriptor, long lengthBytes) {
        return map(descriptor, lengthBytes, PROT_READ_WRITE, MAP_PRIVATE_NORESERVE);
    }

    /** As {@link #mapPrivately}, with zeros in place of a file. */
    static long mapZeros(long lengthBytes) {
        return map(-1, lengthBytes, PROT_READ_WRITE, MAP_PRIVATE_NORESERVE | MAP_ANONYMOUS);
    }

    /** Maps a file or device for reading. Answers the address, or a negative errno. */
    static long mapReadOnly(int descriptor, long lengthBytes) {
        return map(descriptor, lengthBytes, PROT_READ, MAP_SHARED);
    }

    private static long map(int descriptor, long lengthBytes, int protection, int flags) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CALL_STATE);
            long address = (long) MMAP.invokeExact(state, 0L, lengthBytes, protection, flags, descriptor, 0L);
            return address == -1 ? -(int) ERRNO.get(state, 0L) : address;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static void unmap(long address, long lengthBytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CALL_STATE);
            int ignored = (int) MUNMAP.invokeExact(state, address, lengthBytes);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private static IllegalStateException unexpected(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return new IllegalStateException("a system call could not be made", e);
    }
}
