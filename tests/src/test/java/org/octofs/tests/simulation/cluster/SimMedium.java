package org.octofs.tests.simulation.cluster;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.octofs.pmem.medium.CrashPoint;
import org.octofs.pmem.medium.MediumCounters;
import org.octofs.pmem.medium.PmemMedium;
import org.octofs.pmem.medium.RecordingMedium;
import org.octofs.tests.simulation.world.SimProcess;

/** A recording medium whose crash point is the end of its process: nothing after it is executed, not even a catch. */
final class SimMedium implements PmemMedium {
    private final RecordingMedium recorder;
    private final SimProcess process;
    private final int preemptOneIn;

    SimMedium(RecordingMedium recorder, SimProcess process, int preemptOneIn) {
        this.preemptOneIn = preemptOneIn;
        this.recorder = recorder;
        this.process = process;
    }

    RecordingMedium recorder() {
        return recorder;
    }

    @Override
    public long sizeBytes() {
        return recorder.sizeBytes();
    }

    @Override
    public MemorySegment memory() {
        return recorder.memory();
    }

    @Override
    public Path path() {
        return null;
    }

    @Override
    public String describe() {
        return recorder.describe();
    }

    @Override
    public void putByte(long offset, byte value) {
        orDie(() -> recorder.putByte(offset, value));
    }

    @Override
    public void putShort(long offset, short value) {
        orDie(() -> recorder.putShort(offset, value));
    }

    @Override
    public void putInt(long offset, int value) {
        orDie(() -> recorder.putInt(offset, value));
    }

    @Override
    public void putLong(long offset, long value) {
        orDie(() -> recorder.putLong(offset, value));
    }

    @Override
    public void copy(long offset, MemorySegment source, long sourceOffset, long lengthBytes) {
        orDie(() -> recorder.copy(offset, source, sourceOffset, lengthBytes));
    }

    @Override
    public void copyNonTemporal(long offset, MemorySegment source, long sourceOffset, long lengthBytes) {
        orDie(() -> recorder.copyNonTemporal(offset, source, sourceOffset, lengthBytes));
    }

    @Override
    public void fill(long offset, long lengthBytes, byte value) {
        orDie(() -> recorder.fill(offset, lengthBytes, value));
    }

    @Override
    public void flush(long offset, long lengthBytes) {
        orDie(() -> recorder.flush(offset, lengthBytes));
    }

    @Override
    public void fence() {
        orDie(recorder::fence);
    }

    /** What one-sided readers find between two stores is for the seed to say: they are processors of their own. */
    @SuppressWarnings("ThreadPriorityCheck") // the thread scheduler is the simulation
    private void orDie(Runnable access) {
        if (preemptOneIn > 0 && process.world().oneIn(preemptOneIn)) {
            Thread.yield();
        }
        try {
            access.run();
        } catch (CrashPoint reached) {
            throw process.dieHere();
        }
    }

    @Override
    public MediumCounters counters() {
        return recorder.counters();
    }

    @Override
    public void close() {
        recorder.close();
    }
}
