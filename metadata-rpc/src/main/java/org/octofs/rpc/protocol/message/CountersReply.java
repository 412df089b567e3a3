package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;

/**
 * Answer of COUNTERS: what this node has done since it started. Differences of two answers are what is meant.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class CountersReply {
    /** u64, operations begun by the handlers of the server. */
    public static final int REQUESTS_OFFSET = 0;

    /** u64, fences on the pool. */
    public static final int FENCES_OFFSET = REQUESTS_OFFSET + Long.BYTES;

    /** u64, flush calls on the pool. */
    public static final int FLUSHES_OFFSET = FENCES_OFFSET + Long.BYTES;

    /** u64, cache lines that those covered. */
    public static final int FLUSHED_LINES_OFFSET = FLUSHES_OFFSET + Long.BYTES;

    /** u64, bytes written to the pool past the caches. */
    public static final int NON_TEMPORAL_BYTES_OFFSET = FLUSHED_LINES_OFFSET + Long.BYTES;

    /** u64, processor time of the worker thread, waiting in a loop included. */
    public static final int WORKER_CPU_NANOS_OFFSET = NON_TEMPORAL_BYTES_OFFSET + Long.BYTES;

    /** u64, processor time of the server's process. */
    public static final int PROCESS_CPU_NANOS_OFFSET = WORKER_CPU_NANOS_OFFSET + Long.BYTES;

    /** u64, bytes of metadata pages in use. */
    public static final int METADATA_BYTES_OFFSET = PROCESS_CPU_NANOS_OFFSET + Long.BYTES;

    /** u64, leases that hold. */
    public static final int LEASES_OFFSET = METADATA_BYTES_OFFSET + Long.BYTES;

    /** u64, recalls of leases. */
    public static final int RECALLS_OFFSET = LEASES_OFFSET + Long.BYTES;

    /** u64, leases that ended without an answer of their client. */
    public static final int UNANSWERED_OFFSET = RECALLS_OFFSET + Long.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = UNANSWERED_OFFSET + Long.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public CountersReply wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Operations begun by the handlers of the server. */
    public long requests() {
        return buffer.getU64(REQUESTS_OFFSET);
    }

    /** Sets operations begun by the handlers of the server. */
    public CountersReply requests(long value) {
        buffer.putU64(REQUESTS_OFFSET, value);
        return this;
    }

    /** Fences on the pool. */
    public long fences() {
        return buffer.getU64(FENCES_OFFSET);
    }

    /** Sets fences on the pool. */
    public CountersReply fences(long value) {
        buffer.putU64(FENCES_OFFSET, value);
        return this;
    }

    /** Flush calls on the pool. */
    public long flushes() {
        return buffer.getU64(FLUSHES_OFFSET);
    }

    /** Sets flush calls on the pool. */
    public CountersReply flushes(long value) {
        buffer.putU64(FLUSHES_OFFSET, value);
        return this;
    }

    /** Cache lines that those covered. */
    public long flushedLines() {
        return buffer.getU64(FLUSHED_LINES_OFFSET);
    }

    /** Sets cache lines that those covered. */
    public CountersReply flushedLines(long value) {
        buffer.putU64(FLUSHED_LINES_OFFSET, value);
        return this;
    }

    /** Bytes written to the pool past the caches. */
    public long nonTemporalBytes() {
        return buffer.getU64(NON_TEMPORAL_BYTES_OFFSET);
    }

    /** Sets bytes written to the pool past the caches. */
    public CountersReply nonTemporalBytes(long value) {
        buffer.putU64(NON_TEMPORAL_BYTES_OFFSET, value);
        return this;
    }

    /** Processor time of the worker thread, waiting in a loop included. */
    public long workerCpuNanos() {
        return buffer.getU64(WORKER_CPU_NANOS_OFFSET);
    }

    /** Sets processor time of the worker thread, waiting in a loop included. */
    public CountersReply workerCpuNanos(long value) {
        buffer.putU64(WORKER_CPU_NANOS_OFFSET, value);
        return this;
    }

    /** Processor time of the server's process. */
    public long processCpuNanos() {
        return buffer.getU64(PROCESS_CPU_NANOS_OFFSET);
    }

    /** Sets processor time of the server's process. */
    public CountersReply processCpuNanos(long value) {
        buffer.putU64(PROCESS_CPU_NANOS_OFFSET, value);
        return this;
    }

    /** Bytes of metadata pages in use. */
    public long metadataBytes() {
        return buffer.getU64(METADATA_BYTES_OFFSET);
    }

    /** Sets bytes of metadata pages in use. */
    public CountersReply metadataBytes(long value) {
        buffer.putU64(METADATA_BYTES_OFFSET, value);
        return this;
    }

    /** Leases that hold. */
    public long leases() {
        return buffer.getU64(LEASES_OFFSET);
    }

    /** Sets leases that hold. */
    public CountersReply leases(long value) {
        buffer.putU64(LEASES_OFFSET, value);
        return this;
    }

    /** Recalls of leases. */
    public long recalls() {
        return buffer.getU64(RECALLS_OFFSET);
    }

    /** Sets recalls of leases. */
    public CountersReply recalls(long value) {
        buffer.putU64(RECALLS_OFFSET, value);
        return this;
    }

    /** Leases that ended without an answer of their client. */
    public long unanswered() {
        return buffer.getU64(UNANSWERED_OFFSET);
    }

    /** Sets leases that ended without an answer of their client. */
    public CountersReply unanswered(long value) {
        buffer.putU64(UNANSWERED_OFFSET, value);
        return this;
    }
}
