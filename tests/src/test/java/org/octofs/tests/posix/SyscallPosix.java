package org.octofs.tests.posix;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Real system calls below a folder, by the C library, with the exact errno.
 *
 * <p>Threading: confined to a thread; {@link #become} changes only that thread's rights, which {@link #close} gives back.
 */
public final class SyscallPosix implements Posix {
    private static final int AT_FDCWD = -100;
    private static final int AT_SYMLINK_NOFOLLOW = 0x100;
    private static final int AT_SYMLINK_FOLLOW = 0x400;
    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int AT_REMOVEDIR = 0x200;
    private static final int STATX_BASIC = 0x7FF;
    private static final int STATX_BYTES = 256;
    private static final int PATH_BYTES = 8192;
    private static final int VALUE_BYTES = 70_000;
    private static final int NAME_IN_DIRENT = 19;
    private static final int DIRENT_BYTES = 280;
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_SHARED = 1;
    private static final int MS_SYNC = 4;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle OPEN = handle("open", 3, JAVA_INT, 2);
    private static final MethodHandle CLOSE = handle("close", 1, JAVA_INT, 0);
    private static final MethodHandle PREAD = handle("pread", 4, JAVA_LONG, 0);
    private static final MethodHandle PWRITE = handle("pwrite", 4, JAVA_LONG, 0);
    private static final MethodHandle FSYNC = handle("fsync", 1, JAVA_INT, 0);
    private static final MethodHandle FTRUNCATE = handle("ftruncate", 2, JAVA_INT, 0);
    private static final MethodHandle TRUNCATE = handle("truncate", 2, JAVA_INT, 0);
    private static final MethodHandle FALLOCATE = handle("fallocate", 4, JAVA_INT, 0);
    private static final MethodHandle LSEEK = handle("lseek", 3, JAVA_LONG, 0);
    private static final MethodHandle COPY = handle("copy_file_range", 6, JAVA_LONG, 0);
    private static final MethodHandle MKDIR = handle("mkdir", 2, JAVA_INT, 0);
    private static final MethodHandle MKFIFO = handle("mkfifo", 2, JAVA_INT, 0);
    private static final MethodHandle SYMLINK = handle("symlink", 2, JAVA_INT, 0);
    private static final MethodHandle LINKAT = handle("linkat", 5, JAVA_INT, 0);
    private static final MethodHandle UNLINKAT = handle("unlinkat", 3, JAVA_INT, 0);
    private static final MethodHandle RENAMEAT2 = handle("renameat2", 5, JAVA_INT, 0);
    private static final MethodHandle READLINK = handle("readlink", 3, JAVA_LONG, 0);
    private static final MethodHandle OPENDIR = handle("opendir", 1, JAVA_LONG, 0);
    private static final MethodHandle READDIR = handle("readdir", 1, JAVA_LONG, 0);
    private static final MethodHandle CLOSEDIR = handle("closedir", 1, JAVA_INT, 0);
    private static final MethodHandle STATX = handle("statx", 5, JAVA_INT, 0);
    private static final MethodHandle CHMOD = handle("chmod", 2, JAVA_INT, 0);
    private static final MethodHandle FCHMOD = handle("fchmod", 2, JAVA_INT, 0);
    private static final MethodHandle LCHOWN = handle("lchown", 3, JAVA_INT, 0);
    private static final MethodHandle UTIMENSAT = handle("utimensat", 4, JAVA_INT, 0);
    private static final MethodHandle LSETXATTR = handle("lsetxattr", 5, JAVA_INT, 0);
    private static final MethodHandle LGETXATTR = handle("lgetxattr", 4, JAVA_LONG, 0);
    private static final MethodHandle LLISTXATTR = handle("llistxattr", 3, JAVA_LONG, 0);
    private static final MethodHandle LREMOVEXATTR = handle("lremovexattr", 2, JAVA_INT, 0);
    private static final MethodHandle MMAP = handle("mmap", 6, JAVA_LONG, 0);
    private static final MethodHandle MSYNC = handle("msync", 3, JAVA_INT, 0);
    private static final MethodHandle MUNMAP = handle("munmap", 2, JAVA_INT, 0);
    private static final MethodHandle UMASK = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("umask"), FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle SETFSUID = handle("setfsuid", 1, JAVA_INT, 0);
    private static final MethodHandle SETFSGID = handle("setfsgid", 1, JAVA_INT, 0);
    private static final MethodHandle SYSCALL = handle("syscall", 3, JAVA_LONG, 1);

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment state = arena.allocate(STATE);
    private final MemorySegment first = arena.allocate(PATH_BYTES);
    private final MemorySegment second = arena.allocate(PATH_BYTES);
    private final MemorySegment buffer = arena.allocate(VALUE_BYTES, Long.BYTES);
    private final byte[] root;
    private final int umaskBefore;
    private boolean changedUser;

    /** Below a folder that exists. */
    public SyscallPosix(Path folder) {
        root = (folder + "/").getBytes(StandardCharsets.UTF_8);
        umaskBefore = umask(0);
    }

    /** Of the whole process: modes are to be what a program says. */
    private static int umask(int mask) {
        try {
            return (int) UMASK.invokeExact(mask);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** All arguments as 64-bit integers: the same registers as pointers, ints and sizes take. */
    private static MethodHandle handle(String name, int arguments, MemoryLayout result, int fixedArguments) {
        MemoryLayout[] layouts = new MemoryLayout[arguments];
        Arrays.fill(layouts, JAVA_LONG);
        List<Linker.Option> options = new ArrayList<>(List.of(Linker.Option.captureCallState("errno")));
        if (fixedArguments > 0) {
            options.add(Linker.Option.firstVariadicArg(fixedArguments));
        }
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(result, layouts),
                options.toArray(Linker.Option[]::new));
    }

    private long call(MethodHandle function, long... arguments) throws PosixException {
        List<Object> all = new ArrayList<>(arguments.length + 1);
        all.add(state);
        for (long argument : arguments) {
            all.add(argument);
        }
        long result;
        try {
            result = ((Number) function.invokeWithArguments(all)).longValue();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        if (result == -1) {
            throw new PosixException((int) ERRNO.get(state, 0L));
        }
        return result;
    }

    private long path(MemorySegment into, byte[] relative) {
        MemorySegment.copy(root, 0, into, JAVA_BYTE, 0, root.length);
        MemorySegment.copy(relative, 0, into, JAVA_BYTE, root.length, relative.length);
        into.set(JAVA_BYTE, (long) root.length + relative.length, (byte) 0);
        return into.address();
    }

    private long string(MemorySegment into, byte[] text) {
        MemorySegment.copy(text, 0, into, JAVA_BYTE, 0, text.length);
        into.set(JAVA_BYTE, text.length, (byte) 0);
        return into.address();
    }

    @Override
    public int open(byte[] path, int flags, int mode) throws PosixException {
        return (int) call(OPEN, path(first, path), flags, mode);
    }

    @Override
    public void close(int descriptor) throws PosixException {
        call(CLOSE, descriptor);
    }

    @Override
    public byte[] read(int descriptor, long offset, int length) throws PosixException {
        try (Arena data = Arena.ofConfined()) {
            MemorySegment bytes = data.allocate(Math.max(1, length));
            long count = call(PREAD, descriptor, bytes.address(), length, offset);
            return bytes.asSlice(0, count).toArray(JAVA_BYTE);
        }
    }

    @Override
    public int write(int descriptor, long offset, byte[] data) throws PosixException {
        try (Arena memory = Arena.ofConfined()) {
            MemorySegment bytes = memory.allocate(Math.max(1, data.length));
            MemorySegment.copy(data, 0, bytes, JAVA_BYTE, 0, data.length);
            return (int) call(PWRITE, descriptor, bytes.address(), data.length, offset);
        }
    }

    @Override
    public void sync(int descriptor) throws PosixException {
        call(FSYNC, descriptor);
    }

    @Override
    public void truncate(int descriptor, long size) throws PosixException {
        call(FTRUNCATE, descriptor, size);
    }

    @Override
    public void truncate(byte[] path, long size) throws PosixException {
        call(TRUNCATE, path(first, path), size);
    }

    @Override
    public void allocate(int descriptor, int mode, long offset, long length) throws PosixException {
        call(FALLOCATE, descriptor, mode, offset, length);
    }

    @Override
    public long seek(int descriptor, long offset, int whence) throws PosixException {
        return call(LSEEK, descriptor, offset, whence);
    }

    @Override
    public long copy(int source, long offset, int target, long targetOffset, long length) throws PosixException {
        buffer.set(JAVA_LONG, 0, offset);
        buffer.set(JAVA_LONG, Long.BYTES, targetOffset);
        long done = 0;
        long count;
        // The kernel may copy less than asked; the end of the source is an answer of 0.
        do {
            count = call(COPY, source, buffer.address(), target, buffer.address() + Long.BYTES, length - done, 0);
            done += count;
        } while (count > 0 && done < length);
        return done;
    }

    /** Changes bytes of a file through a shared mapping, which is written back before it goes. */
    public void writeMapped(int descriptor, long offset, byte[] data) throws PosixException {
        long start = offset & -4096;
        long length = offset + data.length - start;
        long address = call(MMAP, 0, length, PROT_READ_WRITE, MAP_SHARED, descriptor, start);
        try {
            MemorySegment memory = MemorySegment.ofAddress(address).reinterpret(length);
            MemorySegment.copy(data, 0, memory, JAVA_BYTE, offset - start, data.length);
            call(MSYNC, address, length, MS_SYNC);
        } finally {
            call(MUNMAP, address, length);
        }
    }

    @Override
    public void makeDirectory(byte[] path, int mode) throws PosixException {
        call(MKDIR, path(first, path), mode);
    }

    @Override
    public void makeFifo(byte[] path, int mode) throws PosixException {
        call(MKFIFO, path(first, path), mode);
    }

    @Override
    public void makeSymlink(byte[] target, byte[] path) throws PosixException {
        call(SYMLINK, string(first, target), path(second, path));
    }

    @Override
    public void link(byte[] path, byte[] newPath) throws PosixException {
        call(LINKAT, AT_FDCWD, path(first, path), AT_FDCWD, path(second, newPath), 0);
    }

    @Override
    public void link(int descriptor, byte[] newPath) throws PosixException {
        byte[] self = ("/proc/self/fd/" + descriptor).getBytes(StandardCharsets.US_ASCII);
        call(LINKAT, AT_FDCWD, string(first, self), AT_FDCWD, path(second, newPath), AT_SYMLINK_FOLLOW);
    }

    @Override
    public void unlink(byte[] path) throws PosixException {
        call(UNLINKAT, AT_FDCWD, path(first, path), 0);
    }

    @Override
    public void removeDirectory(byte[] path) throws PosixException {
        call(UNLINKAT, AT_FDCWD, path(first, path), AT_REMOVEDIR);
    }

    @Override
    public void rename(byte[] path, byte[] newPath, int flags) throws PosixException {
        call(RENAMEAT2, AT_FDCWD, path(first, path), AT_FDCWD, path(second, newPath), flags);
    }

    @Override
    public byte[] readSymlink(byte[] path) throws PosixException {
        long count = call(READLINK, path(first, path), buffer.address(), buffer.byteSize());
        return buffer.asSlice(0, count).toArray(JAVA_BYTE);
    }

    @Override
    public List<byte[]> list(byte[] path) throws PosixException {
        long directory;
        directory = call(OPENDIR, path(first, path));
        if (directory == 0) {
            throw new PosixException((int) ERRNO.get(state, 0L));
        }
        List<byte[]> names = new ArrayList<>();
        while (true) {
            ERRNO.set(state, 0L, 0);
            long entry = call(READDIR, directory);
            if (entry == 0) {
                break;
            }
            MemorySegment dirent = MemorySegment.ofAddress(entry).reinterpret(DIRENT_BYTES);
            int end = NAME_IN_DIRENT;
            while (dirent.get(JAVA_BYTE, end) != 0) {
                end++;
            }
            byte[] name = dirent.asSlice(NAME_IN_DIRENT, end - NAME_IN_DIRENT).toArray(JAVA_BYTE);
            if (!isDots(name)) {
                names.add(name);
            }
        }
        call(CLOSEDIR, directory);
        return names;
    }

    private static boolean isDots(byte[] name) {
        return name[0] == '.' && (name.length == 1 || (name.length == 2 && name[1] == '.'));
    }

    @Override
    public FileStatus status(byte[] path) throws PosixException {
        call(STATX, AT_FDCWD, path(first, path), AT_SYMLINK_NOFOLLOW, STATX_BASIC, buffer.address());
        return fromStatx();
    }

    @Override
    public FileStatus status(int descriptor) throws PosixException {
        call(STATX, descriptor, string(first, new byte[0]), AT_EMPTY_PATH, STATX_BASIC, buffer.address());
        return fromStatx();
    }

    /** struct statx, which is the same on all processors. */
    private FileStatus fromStatx() {
        MemorySegment s = buffer.asSlice(0, STATX_BYTES);
        return new FileStatus(
                s.get(JAVA_LONG, 32),
                s.get(JAVA_INT, 28) & 0xFFFF,
                s.get(JAVA_INT, 16),
                s.get(JAVA_INT, 20),
                s.get(JAVA_INT, 24),
                s.get(JAVA_LONG, 40),
                s.get(JAVA_LONG, 48),
                new FileStatus.Time(s.get(JAVA_LONG, 64), s.get(JAVA_INT, 72)),
                new FileStatus.Time(s.get(JAVA_LONG, 112), s.get(JAVA_INT, 120)),
                new FileStatus.Time(s.get(JAVA_LONG, 96), s.get(JAVA_INT, 104)));
    }

    @Override
    public void changeMode(byte[] path, int mode) throws PosixException {
        call(CHMOD, path(first, path), mode);
    }

    @Override
    public void changeMode(int descriptor, int mode) throws PosixException {
        call(FCHMOD, descriptor, mode);
    }

    @Override
    public void changeOwner(byte[] path, int uid, int gid) throws PosixException {
        call(LCHOWN, path(first, path), uid, gid);
    }

    @Override
    public void changeTimes(byte[] path, FileStatus.Time accessed, FileStatus.Time modified) throws PosixException {
        buffer.set(JAVA_LONG, 0, accessed.seconds());
        buffer.set(JAVA_LONG, 8, accessed.nanos());
        buffer.set(JAVA_LONG, 16, modified.seconds());
        buffer.set(JAVA_LONG, 24, modified.nanos());
        call(UTIMENSAT, AT_FDCWD, path(first, path), buffer.address(), AT_SYMLINK_NOFOLLOW);
    }

    @Override
    public void setAttribute(byte[] path, String name, byte[] value, int flags) throws PosixException {
        MemorySegment.copy(value, 0, buffer, JAVA_BYTE, 0, value.length);
        long named = string(second, name.getBytes(StandardCharsets.UTF_8));
        call(LSETXATTR, path(first, path), named, buffer.address(), value.length, flags);
    }

    @Override
    public byte[] attribute(byte[] path, String name) throws PosixException {
        long named = string(second, name.getBytes(StandardCharsets.UTF_8));
        long count = call(LGETXATTR, path(first, path), named, buffer.address(), buffer.byteSize());
        return buffer.asSlice(0, count).toArray(JAVA_BYTE);
    }

    @Override
    public List<String> attributes(byte[] path) throws PosixException {
        long count = call(LLISTXATTR, path(first, path), buffer.address(), buffer.byteSize());
        String all = new String(buffer.asSlice(0, count).toArray(JAVA_BYTE), StandardCharsets.UTF_8);
        return all.isEmpty()
                ? List.of()
                : List.of(all.substring(0, all.length() - 1).split("\0", -1));
    }

    @Override
    public void removeAttribute(byte[] path, String name) throws PosixException {
        call(LREMOVEXATTR, path(first, path), string(second, name.getBytes(StandardCharsets.UTF_8)));
    }

    /** The rights of this thread alone: the bare system calls do not tell the process's other threads. */
    @Override
    public void become(int uid, int gid, int group) throws PosixException {
        changedUser = true;
        // In this order: with another user id the groups could not be changed.
        call(SETFSUID, 0);
        buffer.set(JAVA_INT, 0, group);
        call(SYSCALL, setgroupsNumber(), group < 0 ? 0 : 1, buffer.address());
        call(SETFSGID, gid);
        call(SETFSUID, uid);
    }

    private static long setgroupsNumber() {
        return switch (System.getProperty("os.arch")) {
            case "amd64" -> 116;
            case "aarch64" -> 159;
            default ->
                throw new UnsupportedOperationException("number of setgroups on " + System.getProperty("os.arch"));
        };
    }

    @Override
    public void close() {
        try {
            if (changedUser) {
                become(0, 0, -1);
            }
        } catch (PosixException e) {
            throw new AssertionError(e);
        } finally {
            umask(umaskBefore);
            arena.close();
        }
    }
}
