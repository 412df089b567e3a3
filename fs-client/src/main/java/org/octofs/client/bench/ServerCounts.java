package org.octofs.client.bench;

import org.octofs.rpc.protocol.message.CountersReply;

/** What servers have done, of one node or summed over several. */
record ServerCounts(
        long requests,
        long fences,
        long flushes,
        long flushedLines,
        long nonTemporalBytes,
        long workerCpuNanos,
        long processCpuNanos,
        long metadataBytes) {
    static final ServerCounts ZERO = new ServerCounts(0, 0, 0, 0, 0, 0, 0, 0);

    static ServerCounts of(CountersReply reply) {
        return new ServerCounts(
                reply.requests(),
                reply.fences(),
                reply.flushes(),
                reply.flushedLines(),
                reply.nonTemporalBytes(),
                reply.workerCpuNanos(),
                reply.processCpuNanos(),
                reply.metadataBytes());
    }

    ServerCounts plus(ServerCounts other) {
        return combined(other, 1);
    }

    ServerCounts minus(ServerCounts other) {
        return combined(other, -1);
    }

    private ServerCounts combined(ServerCounts other, int sign) {
        return new ServerCounts(
                requests + sign * other.requests,
                fences + sign * other.fences,
                flushes + sign * other.flushes,
                flushedLines + sign * other.flushedLines,
                nonTemporalBytes + sign * other.nonTemporalBytes,
                workerCpuNanos + sign * other.workerCpuNanos,
                processCpuNanos + sign * other.processCpuNanos,
                metadataBytes + sign * other.metadataBytes);
    }
}
