package org.octofs.pmem.medium;

/**
 * What a medium was asked to do, for tests that pin the cost of operations.
 * Threading: plain fields; exact when one thread uses the medium, else a rough figure.
 */
public final class MediumCounters {
    private long flushCalls;
    private long flushedLines;
    private long fences;
    private long nonTemporalBytes;

    /** Calls of {@link PmemMedium#flush}. */
    public long flushCalls() {
        return flushCalls;
    }

    /** Cache lines those calls covered. */
    public long flushedLines() {
        return flushedLines;
    }

    public long fences() {
        return fences;
    }

    /** Bytes copied by {@link PmemMedium#copyNonTemporal}. */
    public long nonTemporalBytes() {
        return nonTemporalBytes;
    }

    /** All back to 0. */
    public void reset() {
        flushCalls = 0;
        flushedLines = 0;
        fences = 0;
        nonTemporalBytes = 0;
    }

    /** For implementations of {@link PmemMedium}. */
    public void countFlush(long offset, long lengthBytes) {
        flushCalls++;
        if (lengthBytes > 0) {
            flushedLines += (offset + lengthBytes - 1) / PmemMedium.LINE_BYTES - offset / PmemMedium.LINE_BYTES + 1;
        }
    }

    /** For implementations of {@link PmemMedium}. */
    public void countFence() {
        fences++;
    }

    /** For implementations of {@link PmemMedium}. */
    public void countNonTemporal(long lengthBytes) {
        nonTemporalBytes += lengthBytes;
    }

    @Override
    public String toString() {
        return flushCalls + " flushes of " + flushedLines + " lines, " + fences + " fences, " + nonTemporalBytes
                + " bytes non-temporal";
    }
}
