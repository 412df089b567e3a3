package org.octofs.pmem.medium;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.util.Objects;
import jdk.nio.mapmode.ExtendedMapMode;

/**
 * A mapped file without any persistent-memory library.
 * Threading, ownership: as {@link PmemMedium}.
 * Durability: on tmpfs a flush does nothing and a fence is only a full CPU fence, since there is nothing further to reach
 *             (this hides the cost of flushing). On a DAX file system the mapping is synchronous and the JDK flushes lines.
 *             On any other file a flush is an {@code msync} of the pages: right, but slow.
 */
public final class MappedFileMedium extends SegmentMedium {
    /** How this mapping reaches durability. */
    private enum Flushing {
        NOTHING_TO_DO,
        CACHE_LINES,
        MSYNC
    }

    private final PoolFile file;
    private final Arena arena;
    private final Flushing flushing;
    private final String why;

    private MappedFileMedium(PoolFile file, Arena arena, MemorySegment memory, Flushing flushing, String why) {
        super(memory, file.path());
        this.file = file;
        this.arena = arena;
        this.flushing = flushing;
        this.why = why;
    }

    /**
     * Takes over the file, also when it fails.
     *
     * @param why why it is this medium, for {@link #describe}; empty when it was asked for
     */
    // The arena is the medium's, and ends with it.
    @SuppressWarnings("MustBeClosedChecker")
    static MappedFileMedium map(PoolFile file, MediumOptions options, boolean created, String why) throws IOException {
        if (file.isDevice()) {
            return mapDevice(file, why);
        }
        Arena arena = Arena.ofShared();
        try (FileChannel channel = file.channel()) {
            boolean serve = file.mode() == OpenMode.SERVE;
            MemorySegment memory = null;
            Flushing flushing = file.isInMemory() ? Flushing.NOTHING_TO_DO : Flushing.MSYNC;
            if (serve && !file.isInMemory() && supportsSynchronousMapping(channel)) {
                memory = channel.map(ExtendedMapMode.READ_WRITE_SYNC, 0, file.sizeBytes(), arena);
                flushing = Flushing.CACHE_LINES;
            }
            if (memory == null) {
                FileChannel.MapMode mode = serve ? FileChannel.MapMode.READ_WRITE : FileChannel.MapMode.READ_ONLY;
                memory = channel.map(mode, 0, file.sizeBytes(), arena);
            }
            if (serve) {
                Pages.prepare(file, memory, options, created);
            }
            return new MappedFileMedium(file, arena, memory, flushing, why);
        } catch (IOException | RuntimeException | Error e) {
            arena.close();
            file.close();
            throw e;
        }
    }

    /** The JDK neither maps a device nor flushes what it has not mapped: here it can only be read. */
    // The arena is the medium's, and ends with it.
    @SuppressWarnings("MustBeClosedChecker")
    private static MappedFileMedium mapDevice(PoolFile file, String why) throws IOException {
        long size = file.sizeBytes();
        long address = 0;
        String refusal = "";
        if (file.mode() == OpenMode.SERVE) {
            refusal = " is a DAX device, which needs llpl and libpmem" + (why.isEmpty() ? "" : "; but " + why);
        } else {
            address = LinuxCalls.mapReadOnly(file.descriptor(), size);
            refusal = address < 0 && address > -4096 ? " cannot be mapped (errno " + -address + ")" : "";
        }
        if (!refusal.isEmpty()) {
            file.close();
            throw new IOException(file.path() + refusal);
        }
        Arena arena = Arena.ofShared();
        MemorySegment memory = MemorySegment.ofAddress(address)
                .reinterpret(size, arena, gone -> LinuxCalls.unmap(gone.address(), size))
                .asReadOnly();
        return new MappedFileMedium(file, arena, memory, Flushing.NOTHING_TO_DO, why);
    }

    /** Whether the file system maps real persistent memory (MAP_SYNC). */
    static boolean supportsSynchronousMapping(FileChannel channel) {
        try (Arena probe = Arena.ofConfined()) {
            return channel.map(ExtendedMapMode.READ_WRITE_SYNC, 0, 1, probe).isMapped();
        } catch (IOException | UnsupportedOperationException e) {
            // The answer is the exception: "Operation not supported" on everything that is not DAX.
            return false;
        }
    }

    @Override
    public void copyNonTemporal(long offset, MemorySegment source, long sourceOffset, long lengthBytes) {
        counters().countNonTemporal(lengthBytes);
        MemorySegment.copy(source, sourceOffset, memory, offset, lengthBytes);
        // The JDK has no non-temporal copy, and the contract asks for no flush after this call.
        writeBack(offset, lengthBytes);
    }

    @Override
    public void fill(long offset, long lengthBytes, byte value) {
        memory.asSlice(offset, lengthBytes).fill(value);
    }

    @Override
    public void flush(long offset, long lengthBytes) {
        Objects.checkFromIndexSize(offset, lengthBytes, sizeBytes());
        counters().countFlush(offset, lengthBytes);
        writeBack(offset, lengthBytes);
    }

    private void writeBack(long offset, long lengthBytes) {
        if (flushing != Flushing.NOTHING_TO_DO && lengthBytes > 0) {
            memory.asSlice(offset, lengthBytes).force();
        }
    }

    @Override
    public void fence() {
        counters().countFence();
        VarHandle.fullFence();
    }

    @Override
    public String describe() {
        String flushes = switch (flushing) {
            case NOTHING_TO_DO -> "emulated persistent memory, nothing to flush";
            case CACHE_LINES -> "cache lines flushed";
            case MSYNC -> "msync (slow: not persistent memory)";
        };
        return "mapped file on " + file.fileSystemType() + ", " + Pages.describe(file.path(), memory) + ", " + flushes
                + (why.isEmpty() ? "" : " (" + why + ")");
    }

    @Override
    public void close() {
        if (memory.scope().isAlive()) {
            arena.close();
        }
        file.close();
    }
}
