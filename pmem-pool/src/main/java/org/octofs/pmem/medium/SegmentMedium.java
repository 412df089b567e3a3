package org.octofs.pmem.medium;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.file.Path;

/** The stores that are the same for every medium that is one memory segment. */
abstract class SegmentMedium implements PmemMedium {
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle ALIGNED_LONG =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

    protected final MemorySegment memory;
    private final Path path;
    private final MediumCounters counters = new MediumCounters();

    SegmentMedium(MemorySegment memory, Path path) {
        this.memory = memory;
        this.path = path;
    }

    @Override
    public final long sizeBytes() {
        return memory.byteSize();
    }

    @Override
    public final MemorySegment memory() {
        return memory;
    }

    @Override
    public final Path path() {
        return path;
    }

    @Override
    public final MediumCounters counters() {
        return counters;
    }

    @Override
    public final void putByte(long offset, byte value) {
        memory.set(ValueLayout.JAVA_BYTE, offset, value);
    }

    @Override
    public final void putShort(long offset, short value) {
        memory.set(SHORT, offset, value);
    }

    @Override
    public final void putInt(long offset, int value) {
        memory.set(INT, offset, value);
    }

    @Override
    public final void putLong(long offset, long value) {
        if ((offset & 7) == 0) {
            ALIGNED_LONG.setRelease(memory, offset, value);
        } else {
            memory.set(LONG, offset, value);
        }
    }

    @Override
    public final void copy(long offset, MemorySegment source, long sourceOffset, long lengthBytes) {
        MemorySegment.copy(source, sourceOffset, memory, offset, lengthBytes);
    }
}
