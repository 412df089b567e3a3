package org.octofs.rpc.fabric.host;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Zeroed memory with a descriptor behind it, so that another process of the same user can map it too; nothing of it
 * outlives the processes that map it, however they end (an anonymous file has no name to leave behind). Pages appear at
 * first touch.
 *
 * <p>Threading: any. Ownership: the creator closes it; mappings made by others live on until they are closed there.
 */
public final class SharedMemory implements AutoCloseable {
    /** Mappings begin at multiples of this in their file. */
    public static final long PAGE_BYTES = 4096;

    private static final int UNMAP_TRIES = 10_000;
    private static final long UNMAP_PAUSE_NANOS = 100_000;

    private final int descriptor;
    private final Arena arena;
    private final MemorySegment memory;
    private final AtomicBoolean closed = new AtomicBoolean();

    private SharedMemory(int descriptor, Arena arena, MemorySegment memory) {
        this.descriptor = descriptor;
        this.arena = arena;
        this.memory = memory;
    }

    /**
     * Creates memory.
     *
     * @param purpose shows in /proc, for people who look
     * @throws HostException when memory or descriptors ran out
     */
    @SuppressWarnings("MustBeClosedChecker") // the result owns the arena
    public static SharedMemory create(String purpose, long lengthBytes) throws HostException {
        int descriptor = Native.createMemoryFile("octofs-" + purpose, roundUpToPages(lengthBytes));
        Arena arena = Arena.ofShared();
        try (FileChannel file =
                FileChannel.open(ownPath(descriptor), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment memory = file.map(MapMode.READ_WRITE, 0, lengthBytes, arena);
            return new SharedMemory(descriptor, arena, memory);
        } catch (IOException e) {
            arena.close();
            Native.close(descriptor);
            throw new HostException("cannot map shared memory of " + lengthBytes + " bytes: " + e.getMessage(), e);
        }
    }

    /**
     * Maps a part of a file, such as a peer's shared memory.
     *
     * @param offset multiple of {@link #PAGE_BYTES}
     * @param arena owns the mapping
     * @throws HostException when the file cannot be opened, is too short, or cannot be mapped
     */
    public static MemorySegment map(Path file, long offset, long lengthBytes, boolean writable, Arena arena)
            throws HostException {
        StandardOpenOption[] options = writable
                ? new StandardOpenOption[] {StandardOpenOption.READ, StandardOpenOption.WRITE}
                : new StandardOpenOption[] {StandardOpenOption.READ};
        // Opening a pipe would block, a device could do anything.
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new HostException(file + " is not a regular file");
        }
        try (FileChannel channel = FileChannel.open(file, options)) {
            // Touching a mapping behind the end of its file is a SIGBUS; and mapping would make the file longer.
            if (channel.size() < offset + lengthBytes) {
                throw new HostException(
                        file + " has " + channel.size() + " bytes, expected at least " + (offset + lengthBytes));
            }
            return channel.map(writable ? MapMode.READ_WRITE : MapMode.READ_ONLY, offset, lengthBytes, arena);
        } catch (HostException e) {
            throw e;
        } catch (NoSuchFileException e) {
            throw new HostException("no file " + file + " here", e);
        } catch (AccessDeniedException e) {
            throw new HostException("no permission to open " + file, e);
        } catch (IOException e) {
            throw new HostException("cannot map " + file + ": " + e.getMessage(), e);
        }
    }

    /** Closes an arena whose memory may be in the middle of a native call, which ends soon. */
    public static void unmap(Arena arena) {
        for (int i = 0; ; i++) {
            try {
                arena.close();
                return;
            } catch (IllegalStateException inUse) {
                if (!arena.scope().isAlive() || i == UNMAP_TRIES) {
                    return;
                }
                LockSupport.parkNanos(UNMAP_PAUSE_NANOS);
            }
        }
    }

    /** The memory; inaccessible after the close. */
    public MemorySegment memory() {
        return memory;
    }

    /** The path by which another process of this host opens it. */
    public Path peerPath() {
        return Path.of("/proc/" + ProcessHandle.current().pid() + "/fd/" + descriptor);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            unmap(arena);
            Native.close(descriptor);
        }
    }

    private static Path ownPath(int descriptor) {
        return Path.of("/proc/self/fd/" + descriptor);
    }

    private static long roundUpToPages(long lengthBytes) {
        return (lengthBytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }
}
