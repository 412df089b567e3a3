package org.octofs.pmem.medium;

import com.intel.pmem.llpl.MemoryPool;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.channels.FileChannel;
import java.util.Objects;

/**
 * Persistent memory through llpl and libpmem.
 * Threading:  as {@link PmemMedium}.
 * Ownership:  llpl's {@link MemoryPool} holds the one mapping; {@link #close} ends it.
 * Durability: a flush is CLWB (or what the processor has) per line, a fence SFENCE, bulk copies use non-temporal stores. On a DAX
 *             file system libpmem maps synchronously, so that is all there is. On tmpfs the same instructions run, for real
 *             costs, and there is nothing further to reach. Any other file is refused: its pages would need msync.
 *
 * <p>Two things llpl does not offer are taken from it by reflection, which is safe because its version is pinned and no later
 * one exists: the address of the mapping, and closing it. The alternative was a second mapping by {@code FileChannel.map}: it
 * flushes the same lines, but doubles page tables and faults (2 µs per 4 KiB page) and misses MAP_SYNC. Flushing goes to
 * libpmem itself, because llpl's flush always drains (about 0.2 µs each).
 *
 * <p>Measured on tmpfs with a busy machine, 1 GiB pool: a non-temporal copy of 128 KiB reached 4.3 GB/s against 2.0 GB/s for stores
 * followed by flushes. Opening costs 60 ms per GiB and more beyond a plain mapping, because llpl has libpmem walk the file's
 * allocation each time.
 */
public final class LlplMedium extends SegmentMedium {
    /** From this length on, llpl's non-temporal fill is faster than stores followed by flushes. */
    private static final long BULK_FILL_BYTES = 4096;

    private final PoolFile file;
    private final MemoryPool pool;
    private final Arena arena;
    private final long address;

    private LlplMedium(PoolFile file, MemoryPool pool, Arena arena, MemorySegment memory) {
        super(memory, file.path());
        this.file = file;
        this.pool = pool;
        this.arena = arena;
        this.address = memory.address();
    }

    /** Whether the file is of a kind that this medium takes: in memory, or on a DAX file system. */
    static boolean accepts(PoolFile file) throws IOException {
        if (file.isInMemory() || file.isDevice()) {
            return true;
        }
        try (FileChannel channel = file.channel()) {
            return MappedFileMedium.supportsSynchronousMapping(channel);
        }
    }

    /** Takes over the file, also when it fails. */
    // The arena is the medium's, and ends with it.
    @SuppressWarnings("MustBeClosedChecker")
    static LlplMedium map(PoolFile file, MediumOptions options, boolean created) throws IOException {
        MemoryPool pool = null;
        Arena arena = Arena.ofShared();
        try {
            if (!accepts(file)) {
                throw new IOException(
                        file.path() + " is on " + file.fileSystemType()
                                + ", which is no persistent memory; put the pool on tmpfs or a DAX file system, or use the mapped medium");
            }
            LlplLibrary.load();
            pool = MemoryPool.openPool(file.path().toString());
            if (pool.size() != file.sizeBytes()) {
                throw new IOException(file.path() + " changed its size while it was opened");
            }
            MemorySegment memory = MemorySegment.ofAddress(addressOf(pool)).reinterpret(file.sizeBytes(), arena, null);
            Pages.prepare(file, memory, options, created);
            return new LlplMedium(file, pool, arena, memory);
        } catch (IOException | RuntimeException | Error e) {
            arena.close();
            if (pool != null) {
                unmap(pool);
            }
            file.close();
            throw e;
        }
    }

    private static long addressOf(MemoryPool pool) {
        try {
            Field field = pool.getClass().getDeclaredField("poolAddress");
            field.setAccessible(true);
            return field.getLong(pool);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this is not the llpl that OctoFS is built for", e);
        }
    }

    private static void unmap(MemoryPool pool) {
        try {
            Method close = pool.getClass().getDeclaredMethod("close");
            close.setAccessible(true);
            close.invoke(pool);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException("llpl could not unmap the pool", e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this is not the llpl that OctoFS is built for", e);
        }
    }

    @Override
    public void copyNonTemporal(long offset, MemorySegment source, long sourceOffset, long lengthBytes) {
        Objects.checkFromIndexSize(offset, lengthBytes, sizeBytes());
        Objects.checkFromIndexSize(sourceOffset, lengthBytes, source.byteSize());
        checkAlive(source);
        checkAlive(memory);
        counters().countNonTemporal(lengthBytes);
        long done = 0;
        while (done < lengthBytes) {
            long piece = Math.min(BULK_PIECE_BYTES, lengthBytes - done);
            Libpmem.copy(address + offset + done, source, sourceOffset + done, piece);
            done += piece;
        }
    }

    @Override
    public void fill(long offset, long lengthBytes, byte value) {
        MemorySegment range = memory.asSlice(offset, lengthBytes);
        if (lengthBytes < BULK_FILL_BYTES) {
            range.fill(value);
        } else {
            pool.setMemoryNT(value, offset, lengthBytes);
        }
    }

    @Override
    public void flush(long offset, long lengthBytes) {
        Objects.checkFromIndexSize(offset, lengthBytes, sizeBytes());
        checkAlive(memory);
        counters().countFlush(offset, lengthBytes);
        long done = 0;
        do {
            long piece = Math.min(BULK_PIECE_BYTES, lengthBytes - done);
            Libpmem.flush(address + offset + done, piece);
            done += piece;
        } while (done < lengthBytes);
    }

    @Override
    public void fence() {
        counters().countFence();
        Libpmem.drain();
    }

    /** Native code is given bare addresses, so nobody else would notice that the memory is gone. */
    private static void checkAlive(MemorySegment segment) {
        if (!segment.scope().isAlive()) {
            throw new IllegalStateException("the memory has been closed");
        }
    }

    @Override
    public String describe() {
        return "libpmem on " + file.fileSystemType() + ", " + Pages.describe(file.path(), memory) + ", "
                + (file.isInMemory()
                        ? "emulated persistent memory, cache lines flushed all the same"
                        : "cache lines flushed");
    }

    @Override
    public void close() {
        if (memory.scope().isAlive()) {
            arena.close();
            unmap(pool);
        }
        file.close();
    }
}
