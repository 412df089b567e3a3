package org.octofs.pmem.medium;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A pool as it is, to be changed without changing it: what is stored is seen by whoever uses this medium, and by nobody else.
 * A check replays the log in it, or tries a repair.
 * Threading, ownership: as {@link PmemMedium}. Durability: none; flush and fence only check and count.
 */
public final class PrivateMedium extends SegmentMedium {
    private static final int PIECE_BYTES = 4096;

    private final Arena arena;
    private final PoolFile file;
    private final String what;

    private PrivateMedium(MemorySegment memory, Path path, Arena arena, PoolFile file, String what) {
        super(memory, path);
        this.arena = arena;
        this.file = file;
        this.what = what;
    }

    /** A private view of a pool file, whose pages are copied when they are first written to. Takes over the file. */
    // The arena is the medium's, and ends with it.
    @SuppressWarnings("MustBeClosedChecker")
    static PrivateMedium map(PoolFile file) throws IOException {
        long size = file.sizeBytes();
        // Linux maps a DAX device shared only.
        long address =
                file.isDevice() ? copyOfDevice(file) : LinuxCalls.mapPrivately(file.descriptor(), file.sizeBytes());
        if (isError(address)) {
            file.close();
            throw new IOException(file.path() + " cannot be mapped (errno " + -address + ")");
        }
        Arena arena = Arena.ofShared();
        MemorySegment memory = MemorySegment.ofAddress(address)
                .reinterpret(size, arena, gone -> LinuxCalls.unmap(gone.address(), size));
        return new PrivateMedium(memory, file.path(), arena, file, "private view of " + file.path());
    }

    private static boolean isError(long address) {
        return address < 0 && address > -4096;
    }

    /** Copies what is not zero, so that unused space of the device takes no memory. */
    private static long copyOfDevice(PoolFile file) {
        long size = file.sizeBytes();
        long from = LinuxCalls.mapReadOnly(file.descriptor(), size);
        if (isError(from)) {
            return from;
        }
        try {
            long to = LinuxCalls.mapZeros(size);
            if (!isError(to)) {
                MemorySegment source = MemorySegment.ofAddress(from).reinterpret(size);
                MemorySegment copy = MemorySegment.ofAddress(to).reinterpret(size);
                MemorySegment zeros = MemorySegment.ofArray(new byte[PIECE_BYTES]);
                for (long at = 0; at < size; at += PIECE_BYTES) {
                    long length = Math.min(PIECE_BYTES, size - at);
                    MemorySegment piece = source.asSlice(at, length);
                    if (piece.mismatch(zeros.asSlice(0, length)) >= 0) {
                        MemorySegment.copy(piece, 0, copy, at, length);
                    }
                }
            }
            return to;
        } finally {
            LinuxCalls.unmap(from, size);
        }
    }

    /**
     * A copy of what a medium holds now. Copies all of it.
     *
     * @param medium nobody may store into it meanwhile
     */
    @SuppressWarnings("MustBeClosedChecker")
    public static PrivateMedium copyOf(PmemMedium medium) {
        Arena arena = Arena.ofShared();
        MemorySegment memory = arena.allocate(medium.sizeBytes(), 4096);
        memory.copyFrom(medium.memory());
        return new PrivateMedium(memory, medium.path(), arena, null, "private copy");
    }

    @Override
    public void copyNonTemporal(long offset, MemorySegment source, long sourceOffset, long lengthBytes) {
        counters().countNonTemporal(lengthBytes);
        MemorySegment.copy(source, sourceOffset, memory, offset, lengthBytes);
    }

    @Override
    public void fill(long offset, long lengthBytes, byte value) {
        memory.asSlice(offset, lengthBytes).fill(value);
    }

    @Override
    public void flush(long offset, long lengthBytes) {
        Objects.checkFromIndexSize(offset, lengthBytes, sizeBytes());
        counters().countFlush(offset, lengthBytes);
    }

    @Override
    public void fence() {
        counters().countFence();
    }

    @Override
    public String describe() {
        return what;
    }

    @Override
    public void close() {
        if (memory.scope().isAlive()) {
            arena.close();
        }
        if (file != null) {
            file.close();
        }
    }
}
