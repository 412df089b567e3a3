package org.octofs.tests.posix;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.octofs.client.client.AttributeChange;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenDirectory;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;

/**
 * The client library as the kernel would call it, below one of its directories: the walk along a path and what a kernel
 * checks before it asks a file system are done here, all else by the client. Symbolic links are followed nowhere.
 *
 * <p>Threading: one thread at a time.
 */
public final class ClientPosix implements Posix {
    private static final int COPY_BYTES_MAX = 1 << 20;
    private static final int NOREPLACE = 1;
    private static final int O_DIRECTORY = 0x10000;
    private static final int O_TMPFILE = 0x400000 | O_DIRECTORY;

    private final FsClient client;
    private final long root;
    private final Attributes out = new Attributes();
    private final Map<Integer, OpenFile> files = new HashMap<>();
    private int lastDescriptor;

    /** Below the directory {@code root}; the client stays the caller's. */
    public ClientPosix(FsClient client, long root) {
        this.client = client;
        this.root = root;
    }

    @FunctionalInterface
    private interface Call<T> {
        T run() throws FsException;
    }

    @FunctionalInterface
    private interface Action {
        void run() throws FsException;
    }

    private static <T> T call(Call<T> call) throws PosixException {
        try {
            return call.run();
        } catch (FsException e) {
            // By number, an inode that is gone is stale; the kernel would then look again and find no name.
            throw new PosixException(e.errno() == Errno.ESTALE ? Errno.ENOENT : e.errno());
        }
    }

    private static void act(Action action) throws PosixException {
        call(() -> {
            action.run();
            return null;
        });
    }

    @SuppressWarnings("ArrayRecordComponent") // not compared
    private record Place(long parent, byte[] name) {}

    /** The directory in which the last name of a path is. */
    private Place place(byte[] path) throws FsException {
        long parent = root;
        int from = 0;
        for (int i = 0; i < path.length; i++) {
            if (path[i] == '/') {
                client.lookup(parent, Arrays.copyOfRange(path, from, i), out);
                if (!out.isDirectory()) {
                    throw new FsException(Errno.ENOTDIR);
                }
                parent = out.ino();
                from = i + 1;
            }
        }
        return new Place(parent, Arrays.copyOfRange(path, from, path.length));
    }

    private long find(byte[] path) throws FsException {
        if (path.length == 1 && path[0] == '.') {
            client.getAttributes(root, out);
            return root;
        }
        Place place = place(path);
        client.lookup(place.parent(), place.name(), out);
        return out.ino();
    }

    private OpenFile file(int descriptor) throws FsException {
        OpenFile file = files.get(descriptor);
        if (file == null) {
            throw new FsException(Errno.EBADF);
        }
        return file;
    }

    private OpenFile readable(int descriptor) throws FsException {
        OpenFile file = file(descriptor);
        if (!OpenFlags.reads(file.flags())) {
            throw new FsException(Errno.EBADF);
        }
        return file;
    }

    private OpenFile writable(int descriptor) throws FsException {
        OpenFile file = file(descriptor);
        if (!OpenFlags.writes(file.flags())) {
            throw new FsException(Errno.EBADF);
        }
        return file;
    }

    private int add(OpenFile file) {
        files.put(++lastDescriptor, file);
        return lastDescriptor;
    }

    @Override
    public int open(byte[] path, int flags, int mode) throws PosixException {
        return call(() -> {
            if ((flags & O_TMPFILE) == O_TMPFILE) {
                return add(client.createUnnamed(find(path), mode, 0, 0, 0, flags & ~O_TMPFILE, out));
            }
            if ((flags & OpenFlags.CREAT) != 0) {
                Place place = place(path);
                return add(client.create(place.parent(), place.name(), mode, 0, 0, flags, out));
            }
            long ino = find(path);
            if (out.isDirectory() && OpenFlags.writes(flags)) {
                throw new FsException(Errno.EISDIR);
            }
            if (out.isSymlink()) {
                throw new FsException(Errno.ELOOP);
            }
            return add(client.open(ino, flags));
        });
    }

    @Override
    public void close(int descriptor) throws PosixException {
        act(() -> {
            OpenFile file = file(descriptor);
            files.remove(descriptor);
            try {
                client.flush(file, 0);
            } finally {
                client.release(file);
            }
        });
    }

    @Override
    public byte[] read(int descriptor, long offset, int length) throws PosixException {
        return call(() -> {
            OpenFile file = readable(descriptor);
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment bytes = arena.allocate(Math.max(1, length));
                int count = client.read(file, offset, bytes, 0, length);
                return bytes.asSlice(0, count).toArray(ValueLayout.JAVA_BYTE);
            }
        });
    }

    @Override
    public int write(int descriptor, long offset, byte[] data) throws PosixException {
        return call(() -> {
            OpenFile file = writable(descriptor);
            return client.write(file, offset, MemorySegment.ofArray(data), 0, data.length);
        });
    }

    @Override
    public void sync(int descriptor) throws PosixException {
        act(() -> client.fsync(file(descriptor), false));
    }

    @Override
    public void truncate(int descriptor, long size) throws PosixException {
        act(() -> {
            OpenFile file = files.get(descriptor);
            if (file != null && !OpenFlags.writes(file.flags())) {
                throw new FsException(Errno.EINVAL);
            }
            client.setAttributes(file(descriptor).ino(), new AttributeChange().sizeBytes(size), out);
        });
    }

    @Override
    public void truncate(byte[] path, long size) throws PosixException {
        act(() -> {
            if (size < 0) {
                throw new FsException(Errno.EINVAL);
            }
            long ino = find(path);
            if (out.isDirectory()) {
                throw new FsException(Errno.EISDIR);
            }
            if (!out.isRegular()) {
                throw new FsException(out.isSymlink() ? Errno.ELOOP : Errno.EINVAL);
            }
            client.setAttributes(ino, new AttributeChange().sizeBytes(size), out);
        });
    }

    @Override
    public void allocate(int descriptor, int mode, long offset, long length) throws PosixException {
        act(() -> client.fallocate(writable(descriptor), mode, offset, length));
    }

    @Override
    public long seek(int descriptor, long offset, int whence) throws PosixException {
        return call(() -> client.seek(file(descriptor), offset, whence));
    }

    @Override
    public long copy(int source, long offset, int target, long targetOffset, long length) throws PosixException {
        return call(() -> {
            OpenFile from = readable(source);
            OpenFile to = writable(target);
            if (to.isAppend()) {
                throw new FsException(Errno.EBADF);
            }
            client.getAttributes(from.ino(), out);
            long there = Math.min(length, out.sizeBytes() - offset);
            if (there <= 0) {
                return 0L;
            }
            if (from.ino() == to.ino() && offset < targetOffset + there && targetOffset < offset + there) {
                throw new FsException(Errno.EINVAL);
            }
            long done = 0;
            while (done < length) {
                int piece = (int) Math.min(COPY_BYTES_MAX, length - done);
                int count = client.copy(from, offset + done, to, targetOffset + done, piece);
                if (count == 0) {
                    break;
                }
                done += count;
            }
            return done;
        });
    }

    @Override
    public void makeDirectory(byte[] path, int mode) throws PosixException {
        act(() -> {
            Place place = place(path);
            client.mkdir(place.parent(), place.name(), mode, 0, 0, out);
        });
    }

    @Override
    public void makeFifo(byte[] path, int mode) throws PosixException {
        act(() -> {
            Place place = place(path);
            client.mknod(place.parent(), place.name(), FileMode.FIFO | mode, 0, 0, 0, out);
        });
    }

    @Override
    public void makeSymlink(byte[] target, byte[] path) throws PosixException {
        act(() -> {
            Place place = place(path);
            client.symlink(place.parent(), place.name(), target, 0, 0, out);
        });
    }

    @Override
    public void link(byte[] path, byte[] newPath) throws PosixException {
        act(() -> {
            long ino = find(path);
            boolean directory = out.isDirectory();
            Place place = place(newPath);
            if (directory && !exists(place)) {
                throw new FsException(Errno.EPERM);
            }
            client.link(ino, place.parent(), place.name(), out);
        });
    }

    private boolean exists(Place place) throws FsException {
        try {
            client.lookup(place.parent(), place.name(), out);
            return true;
        } catch (FsException e) {
            if (e.errno() == Errno.ENOENT) {
                return false;
            }
            throw e;
        }
    }

    @Override
    public void link(int descriptor, byte[] newPath) throws PosixException {
        act(() -> {
            Place place = place(newPath);
            client.link(file(descriptor).ino(), place.parent(), place.name(), out);
        });
    }

    @Override
    public void unlink(byte[] path) throws PosixException {
        act(() -> {
            Place place = place(path);
            client.unlink(place.parent(), place.name());
        });
    }

    @Override
    public void removeDirectory(byte[] path) throws PosixException {
        act(() -> {
            Place place = place(path);
            client.rmdir(place.parent(), place.name());
        });
    }

    @Override
    public void rename(byte[] path, byte[] newPath, int flags) throws PosixException {
        act(() -> {
            Place from = place(path);
            Place to = place(newPath);
            if ((flags & NOREPLACE) != 0) {
                // As the kernel does: the source first.
                client.lookup(from.parent(), from.name(), out);
            }
            client.rename(from.parent(), from.name(), to.parent(), to.name(), flags);
        });
    }

    @Override
    public byte[] readSymlink(byte[] path) throws PosixException {
        return call(() -> client.readlink(find(path)));
    }

    @Override
    public List<byte[]> list(byte[] path) throws PosixException {
        return call(() -> {
            List<byte[]> names = new ArrayList<>();
            OpenDirectory directory = client.openDirectory(find(path));
            client.readDirectory(directory, 0, (ino, type, memory, offset, length, next) -> {
                names.add(memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE));
                return true;
            });
            client.releaseDirectory(directory);
            return names;
        });
    }

    private FileStatus status() {
        return new FileStatus(
                out.ino(),
                out.mode(),
                out.linkCount(),
                out.uid(),
                out.gid(),
                out.sizeBytes(),
                out.sectors(),
                new FileStatus.Time(out.accessSeconds(), out.accessNanos()),
                new FileStatus.Time(out.modificationSeconds(), out.modificationNanos()),
                new FileStatus.Time(out.changeSeconds(), out.changeNanos()));
    }

    @Override
    public FileStatus status(byte[] path) throws PosixException {
        act(() -> find(path));
        return status();
    }

    @Override
    public FileStatus status(int descriptor) throws PosixException {
        act(() -> client.getAttributes(file(descriptor).ino(), out));
        return status();
    }

    @Override
    public void changeMode(byte[] path, int mode) throws PosixException {
        act(() -> {
            long ino = find(path);
            client.setAttributes(ino, new AttributeChange().mode(mode), out);
        });
    }

    @Override
    public void changeMode(int descriptor, int mode) throws PosixException {
        act(() -> client.setAttributes(file(descriptor).ino(), new AttributeChange().mode(mode), out));
    }

    @Override
    public void changeOwner(byte[] path, int uid, int gid) throws PosixException {
        act(() -> {
            AttributeChange change = new AttributeChange();
            if (uid >= 0) {
                change.uid(uid);
            }
            if (gid >= 0) {
                change.gid(gid);
            }
            client.setAttributes(find(path), change, out);
        });
    }

    @Override
    public void changeTimes(byte[] path, FileStatus.Time accessed, FileStatus.Time modified) throws PosixException {
        act(() -> {
            AttributeChange change = new AttributeChange();
            if (accessed.equals(FileStatus.Time.NOW)) {
                change.accessTimeNow();
            } else if (!accessed.equals(FileStatus.Time.OMIT)) {
                change.accessTime(accessed.seconds(), (int) accessed.nanos());
            }
            if (modified.equals(FileStatus.Time.NOW)) {
                change.modificationTimeNow();
            } else if (!modified.equals(FileStatus.Time.OMIT)) {
                change.modificationTime(modified.seconds(), (int) modified.nanos());
            }
            client.setAttributes(find(path), change, out);
        });
    }

    @Override
    public void setAttribute(byte[] path, String name, byte[] value, int flags) throws PosixException {
        act(() -> client.setXattr(find(path), name.getBytes(StandardCharsets.UTF_8), value, flags));
    }

    @Override
    public byte[] attribute(byte[] path, String name) throws PosixException {
        return call(() -> client.getXattr(find(path), name.getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public List<String> attributes(byte[] path) throws PosixException {
        String all = new String(call(() -> client.listXattr(find(path))), StandardCharsets.UTF_8);
        return all.isEmpty()
                ? List.of()
                : List.of(all.substring(0, all.length() - 1).split("\0", -1));
    }

    @Override
    public void removeAttribute(byte[] path, String name) throws PosixException {
        act(() -> client.removeXattr(find(path), name.getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public void close() {
        files.values().forEach(client::release);
        files.clear();
    }
}
