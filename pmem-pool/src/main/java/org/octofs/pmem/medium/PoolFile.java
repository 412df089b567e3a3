package org.octofs.pmem.medium;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.octofs.pmem.NoRoomForPoolException;
import org.octofs.pmem.PoolBusyException;

/**
 * A locked pool file: what all media of files have in common below the mapping.
 * Threading:  one thread.
 * Ownership:  holds one descriptor whose lock keeps other processes out; {@link #close()} (or the end of the process,
 *             however it ends) gives both back.
 * Durability: the file's length and allocation are in the file system when {@link #create} returns; contents are zero.
 */
final class PoolFile implements AutoCloseable {
    private static final long ALLOCATION_SLICE_BYTES = 64L << 20;

    private final Path path;
    private final long sizeBytes;
    private final OpenMode mode;
    private final boolean isDevice;
    private final String fileSystemType;
    private final int descriptor;
    private boolean closed;

    private PoolFile(Path path, long sizeBytes, OpenMode mode, int descriptor) throws IOException {
        this.path = path;
        this.sizeBytes = sizeBytes;
        this.mode = mode;
        this.isDevice = DaxDevice.is(path);
        this.fileSystemType =
                isDevice ? DaxDevice.TYPE : Files.getFileStore(path).type();
        this.descriptor = descriptor;
    }

    /**
     * Opens and locks an existing file, or a device.
     *
     * @throws PoolBusyException when another open of it stands in the way
     */
    static PoolFile open(Path path, OpenMode mode) throws IOException {
        if (!Files.exists(path)) {
            throw new NoSuchFileException(path.toString(), null, "there is no pool here; format one first");
        }
        boolean isDevice = DaxDevice.is(path);
        if (!isDevice && !Files.isRegularFile(path)) {
            throw new IOException(path + " is not a regular file and not a DAX device, so it is not a pool");
        }
        int descriptor = lockedDescriptor(path, mode);
        try {
            long size = isDevice ? DaxDevice.sizeBytes(path) : Files.size(path);
            if (size == 0) {
                throw new IOException(path + " is empty, so it is not a pool; format it first");
            }
            return new PoolFile(path, size, mode, descriptor);
        } catch (IOException | RuntimeException e) {
            LinuxCalls.close(descriptor);
            throw e;
        }
    }

    /**
     * Creates a file of zeros with all its space allocated. When that fails nothing is left behind.
     *
     * @throws FileAlreadyExistsException when the path exists
     * @throws NoRoomForPoolException when the file system is too full
     */
    static PoolFile create(Path path, long sizeBytes, MediumOptions options) throws IOException {
        // Asking first spares the machine from filling its memory only to find that out.
        FileStore store = checkRoom(path, sizeBytes, 0);
        Set<StandardOpenOption> how = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (FileChannel channel = FileChannel.open(
                path, how, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            int descriptor = -1;
            boolean done = false;
            try {
                descriptor = lockedDescriptor(path, OpenMode.SERVE);
                allocate(path, store, channel, descriptor, sizeBytes, options.progress());
                if (options.group() != null) {
                    giveToGroup(path, options.group());
                }
                PoolFile file = new PoolFile(path, sizeBytes, OpenMode.SERVE, descriptor);
                done = true;
                return file;
            } finally {
                if (!done) {
                    if (descriptor >= 0) {
                        LinuxCalls.close(descriptor);
                    }
                    Files.deleteIfExists(path);
                }
            }
        }
    }

    /** @param freedBytes what will become free before, by removing the file that is there */
    static FileStore checkRoom(Path path, long sizeBytes, long freedBytes) throws IOException {
        Path directory = path.toAbsolutePath().getParent();
        if (directory == null || !Files.isDirectory(directory)) {
            throw new NoSuchFileException(String.valueOf(directory), null, "the directory for the pool does not exist");
        }
        FileStore store = Files.getFileStore(directory);
        long available = store.getUsableSpace() + freedBytes;
        if (sizeBytes > available) {
            throw new NoRoomForPoolException(path, store.toString(), sizeBytes, available);
        }
        return store;
    }

    private static int lockedDescriptor(Path path, OpenMode mode) throws IOException {
        boolean serve = mode == OpenMode.SERVE;
        int descriptor = LinuxCalls.open(path, serve ? LinuxCalls.O_RDWR : LinuxCalls.O_RDONLY);
        if (descriptor < 0) {
            throw new IOException(path + " cannot be opened for " + (serve ? "reading and writing" : "reading")
                    + " (errno " + -descriptor + "); check its owner and mode");
        }
        int answer = LinuxCalls.lock(descriptor, serve ? LinuxCalls.LOCK_EXCLUSIVE : LinuxCalls.LOCK_SHARED);
        if (answer < 0) {
            LinuxCalls.close(descriptor);
            if (answer == -LinuxCalls.EWOULDBLOCK) {
                throw new PoolBusyException(
                        "the pool " + path + " is in use by another process" + holder(path) + "; stop that one first");
            }
            throw new IOException(path + " cannot be locked (errno " + -answer + ")");
        }
        return descriptor;
    }

    /** Who holds a lock on the file, from /proc/locks; empty when it cannot be told. */
    private static String holder(Path path) {
        try {
            String inode = ":" + Files.getAttribute(path, "unix:ino") + " ";
            for (String line : Files.readAllLines(Path.of("/proc/locks"))) {
                String[] words = line.trim().split("\\s+", -1);
                if (line.contains(inode) && words.length > 4 && words[1].equals("FLOCK")) {
                    return " (process " + words[4] + ")";
                }
            }
        } catch (IOException | RuntimeException e) {
            // Only a nicety of the message: without it the user still learns what to do.
            return "";
        }
        return "";
    }

    private static void allocate(
            Path path, FileStore store, FileChannel channel, int descriptor, long sizeBytes, Progress progress)
            throws IOException {
        long done = 0;
        while (done < sizeBytes) {
            long slice = Math.min(ALLOCATION_SLICE_BYTES, sizeBytes - done);
            int answer = LinuxCalls.fallocate(descriptor, done, slice);
            if (answer == -LinuxCalls.EINTR) {
                continue;
            }
            if (answer == -LinuxCalls.EOPNOTSUPP) {
                writeZeros(path, store, channel, done, slice, sizeBytes);
            } else if (answer == -LinuxCalls.ENOSPC) {
                throw new NoRoomForPoolException(path, store.toString(), sizeBytes, done + store.getUsableSpace());
            } else if (answer < 0) {
                throw new IOException(
                        "allocating " + sizeBytes + " bytes for " + path + " failed (errno " + -answer + ")");
            }
            done += slice;
            progress.advance(done, sizeBytes);
        }
    }

    private static void writeZeros(
            Path path, FileStore store, FileChannel channel, long offset, long lengthBytes, long sizeBytes)
            throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect(1 << 20);
        long at = offset;
        try {
            while (at < offset + lengthBytes) {
                zeros.clear().limit((int) Math.min(zeros.capacity(), offset + lengthBytes - at));
                at += channel.write(zeros, at);
            }
        } catch (IOException e) {
            if (store.getUsableSpace() < zeros.capacity()) {
                throw new NoRoomForPoolException(path, store.toString(), sizeBytes, at + store.getUsableSpace());
            }
            throw e;
        }
    }

    private static void giveToGroup(Path path, String group) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(path, PosixFileAttributeView.class);
        view.setGroup(path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByGroupName(group));
        view.setPermissions(PosixFilePermissions.fromString("rw-rw----"));
    }

    Path path() {
        return path;
    }

    /** The open file description that holds the lock. */
    int descriptor() {
        return descriptor;
    }

    long sizeBytes() {
        return sizeBytes;
    }

    OpenMode mode() {
        return mode;
    }

    String fileSystemType() {
        return fileSystemType;
    }

    /** Whether it is persistent memory without a file system. */
    boolean isDevice() {
        return isDevice;
    }

    /** Whether the file lives in memory, where no store is ever lost but with the machine. */
    boolean isInMemory() {
        return fileSystemType.equals("tmpfs") || fileSystemType.equals("ramfs") || fileSystemType.equals("hugetlbfs");
    }

    FileChannel channel() throws IOException {
        return mode == OpenMode.SERVE
                ? FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)
                : FileChannel.open(path, StandardOpenOption.READ);
    }

    /** Removes the file; for a creation that failed later. */
    void delete() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the unfinished pool " + path + " could not be removed; remove it by hand", e);
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            LinuxCalls.close(descriptor);
        }
    }
}
