package org.octofs.pmem.pool;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.octofs.pmem.medium.MediumCounters;
import org.octofs.pmem.medium.PmemMedium;

/** Passes everything on but the close, so that one medium can be opened as a pool several times. */
record Unclosed(PmemMedium medium) implements PmemMedium {
    @Override
    public long sizeBytes() {
        return medium.sizeBytes();
    }

    @Override
    public MemorySegment memory() {
        return medium.memory();
    }

    @Override
    public Path path() {
        return medium.path();
    }

    @Override
    public String describe() {
        return medium.describe();
    }

    @Override
    public void putByte(long offset, byte value) {
        medium.putByte(offset, value);
    }

    @Override
    public void putShort(long offset, short value) {
        medium.putShort(offset, value);
    }

    @Override
    public void putInt(long offset, int value) {
        medium.putInt(offset, value);
    }

    @Override
    public void putLong(long offset, long value) {
        medium.putLong(offset, value);
    }

    @Override
    public void copy(long offset, MemorySegment source, long sourceOffset, long lengthBytes) {
        medium.copy(offset, source, sourceOffset, lengthBytes);
    }

    @Override
    public void copyNonTemporal(long offset, MemorySegment source, long sourceOffset, long lengthBytes) {
        medium.copyNonTemporal(offset, source, sourceOffset, lengthBytes);
    }

    @Override
    public void fill(long offset, long lengthBytes, byte value) {
        medium.fill(offset, lengthBytes, value);
    }

    @Override
    public void flush(long offset, long lengthBytes) {
        medium.flush(offset, lengthBytes);
    }

    @Override
    public void fence() {
        medium.fence();
    }

    @Override
    public MediumCounters counters() {
        return medium.counters();
    }

    @Override
    public void close() {
        // The test goes on with it.
    }
}
