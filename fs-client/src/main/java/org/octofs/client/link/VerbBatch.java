package org.octofs.client.link;

import java.lang.foreign.MemorySegment;
import org.octofs.client.client.ClientCounter;
import org.octofs.client.client.ClientCounters;
import org.octofs.client.client.FsException;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.PieceListener;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.protocol.Errno;

/**
 * One-sided reads and writes that go out together, to any number of nodes: all are posted, then all are awaited, so
 * nodes work in parallel. Requests to one node are posted in the order added. A batch can be run again as it is, which
 * repeats it over whatever connections there are by then.
 *
 * <p>Threading: one thread at a time. Ownership: local memory is the batch's while it runs. Allocates nothing after
 * construction. Limits: the capacity given at construction.
 */
public final class VerbBatch {
    /** Requests of 1 MiB in single blocks, with room for splits at region borders. */
    public static final int DATA_CAPACITY = 288;

    /** Requests of an operation on names and attributes. */
    public static final int METADATA_CAPACITY = 8;

    private final Links links;
    private final ClientCounters counters;
    private final int capacity;
    private final WorkRequest[] requests;
    private final Connection[] connections;
    private final RemotePool[] pools;
    private final boolean[] isRead;
    private final int[] nodes;
    private final long[] poolOffsets;
    private final MemorySegment[] locals;
    private final long[] localOffsets;
    private final int[] lengths;
    private final PieceListener[] listeners;
    private int count;
    private boolean abandoned;
    private final Deadline given;

    /** An empty batch of at most {@code capacity} requests. */
    public VerbBatch(Links links, int capacity) {
        this.links = links;
        this.given = new Deadline(links);
        this.counters = links.counters();
        this.capacity = capacity;
        this.requests = new WorkRequest[capacity];
        this.connections = new Connection[capacity];
        this.pools = new RemotePool[links.nodeCount()];
        this.isRead = new boolean[capacity];
        this.nodes = new int[capacity];
        this.poolOffsets = new long[capacity];
        this.locals = new MemorySegment[capacity];
        this.localOffsets = new long[capacity];
        this.lengths = new int[capacity];
        this.listeners = new PieceListener[capacity];
        for (int i = 0; i < capacity; i++) {
            requests[i] = new WorkRequest();
        }
    }

    /** Forgets all requests. */
    public void clear() {
        for (int i = 0; i < count; i++) {
            locals[i] = null;
            connections[i] = null;
            listeners[i] = null;
        }
        count = 0;
    }

    /** Requests so far. */
    public int count() {
        return count;
    }

    /** Whether two more requests fit (one may be split at a region's border). */
    public boolean hasRoom() {
        return count + 3 <= capacity;
    }

    /** Whether the last run left requests that the fabric still owns: the batch must not be used again. */
    public boolean isAbandoned() {
        return abandoned;
    }

    /** Fetches from a node's pool. */
    public void read(int node, long poolOffset, MemorySegment target, long targetOffset, int lengthBytes) {
        add(true, node, poolOffset, target, targetOffset, lengthBytes, null);
    }

    /** Pushes to a node's pool. */
    public void write(int node, long poolOffset, MemorySegment source, long sourceOffset, int lengthBytes) {
        add(false, node, poolOffset, source, sourceOffset, lengthBytes, null);
    }

    /** Fetches; {@code listener} sees every piece before {@link #run} returns, again if it is repeated. */
    public void read(
            int node,
            long poolOffset,
            MemorySegment target,
            long targetOffset,
            int lengthBytes,
            PieceListener listener) {
        add(true, node, poolOffset, target, targetOffset, lengthBytes, listener);
    }

    /** Pushes; {@code listener} sees every piece before {@link #run} returns, again if it is repeated. */
    public void write(
            int node,
            long poolOffset,
            MemorySegment source,
            long sourceOffset,
            int lengthBytes,
            PieceListener listener) {
        add(false, node, poolOffset, source, sourceOffset, lengthBytes, listener);
    }

    private void add(
            boolean read,
            int node,
            long poolOffset,
            MemorySegment local,
            long localOffset,
            int lengthBytes,
            PieceListener listener) {
        int i = count++;
        isRead[i] = read;
        nodes[i] = node;
        poolOffsets[i] = poolOffset;
        locals[i] = local;
        localOffsets[i] = localOffset;
        lengths[i] = lengthBytes;
        listeners[i] = listener;
    }

    /**
     * Runs all requests and waits for them, reconnecting and repeating the whole batch as needed.
     *
     * @return whether it went through at the first attempt: if not, requests to different nodes had no common moment
     * @throws FsException EIO when the deadline passes: then what was to be pushed may still be stored, see {@link ServerLink#mayStoreLate}
     */
    public boolean run(long deadlineNanos) throws FsException {
        given.set(deadlineNanos);
        return run(given);
    }

    /** As {@link #run(long)}; the clock is asked if something has to be waited for. */
    public boolean run(Deadline deadline) throws FsException {
        boolean success = false;
        try {
            for (int attempt = 0; ; attempt++) {
                if (runOnce(deadline)) {
                    success = true;
                    return attempt == 0;
                }
                if (links.isPast(deadline.nanos())) {
                    throw new FsException(Errno.EIO, "a data server's connection failed and did not come back in time");
                }
                links.pause(attempt, deadline.nanos());
            }
        } finally {
            for (int i = 0; !success && i < count; i++) {
                if (!isRead[i]) {
                    links.node(nodes[i]).givenUp();
                }
            }
        }
    }

    private boolean runOnce(Deadline deadline) throws FsException {
        resolve(deadline);
        int from = 0;
        while (from < count) {
            int to = from + 1;
            while (to < count && connections[to].equals(connections[from])) {
                to++;
            }
            connections[from].post(requests, from, to - from);
            from = to;
        }
        boolean success = true;
        for (int i = 0; i < count; i++) {
            success &= await(i, deadline);
        }
        return success;
    }

    private void resolve(Deadline deadline) throws FsException {
        for (int i = 0; i < pools.length; i++) {
            pools[i] = null;
        }
        splitAtBorders(deadline);
        int reads = 0;
        long readBytes = 0;
        long writtenBytes = 0;
        for (int i = 0; i < count; i++) {
            RemotePool pool = pools[nodes[i]];
            int region = pool.regionOf(poolOffsets[i]);
            long rkey = pool.rkey(region);
            long at = pool.offsetIn(region, poolOffsets[i]);
            connections[i] = pool.connection();
            if (isRead[i]) {
                requests[i].readInto(locals[i], localOffsets[i], lengths[i], rkey, at);
                reads++;
                readBytes += lengths[i];
            } else {
                requests[i].writeFrom(locals[i], localOffsets[i], lengths[i], rkey, at);
                writtenBytes += lengths[i];
            }
            requests[i].pieceListener(listeners[i]);
        }
        if (reads > 0) {
            counters.add(ClientCounter.READ_VERBS, reads);
            counters.add(ClientCounter.READ_BYTES, readBytes);
        }
        if (reads < count) {
            counters.add(ClientCounter.WRITE_VERBS, count - reads);
            counters.add(ClientCounter.WRITE_BYTES, writtenBytes);
        }
    }

    /** Regions are at most 1 GiB, and runs of blocks know nothing of them. */
    private void splitAtBorders(Deadline deadline) throws FsException {
        for (int i = 0; i < count; i++) {
            RemotePool pool = pools[nodes[i]];
            if (pool == null) {
                pool = links.node(nodes[i]).pool(deadline);
                pools[nodes[i]] = pool;
            }
            int region = pool.regionOf(poolOffsets[i]);
            long left = pool.bytesLeftIn(region, poolOffsets[i]);
            if (left < lengths[i]) {
                insertRest(i, (int) left);
            }
        }
    }

    private void insertRest(int i, int firstBytes) {
        for (int j = count; j > i + 1; j--) {
            isRead[j] = isRead[j - 1];
            nodes[j] = nodes[j - 1];
            poolOffsets[j] = poolOffsets[j - 1];
            locals[j] = locals[j - 1];
            localOffsets[j] = localOffsets[j - 1];
            lengths[j] = lengths[j - 1];
            listeners[j] = listeners[j - 1];
        }
        count++;
        isRead[i + 1] = isRead[i];
        nodes[i + 1] = nodes[i];
        poolOffsets[i + 1] = poolOffsets[i] + firstBytes;
        locals[i + 1] = locals[i];
        localOffsets[i + 1] = localOffsets[i] + firstBytes;
        lengths[i + 1] = lengths[i] - firstBytes;
        listeners[i + 1] = listeners[i];
        lengths[i] = firstBytes;
    }

    private boolean await(int i, Deadline deadline) throws FsException {
        try {
            // Done by now, most often; then the deadline does not count.
            connections[i].await(requests[i], connections[i].progress(requests[i]) ? 0 : deadline.nanos());
            if (listeners[i] != null && !requests[i].isPieced()) {
                showPieces(i);
            }
            return true;
        } catch (FabricException e) {
            if (requests[i].isDone()) {
                return false;
            }
            // The fabric still owns our memory. A connection that does not answer within our deadline is of no use to
            // anybody: closing it gives the memory back before the caller may touch it again.
            abandoned = true;
            connections[i].close();
            throw new FsException(Errno.EIO, "a data server did not answer in time: " + e.getMessage(), e);
        }
    }

    private void showPieces(int i) {
        for (int at = 0; at < lengths[i]; at += PieceListener.PIECE_BYTES) {
            int piece = Math.min(PieceListener.PIECE_BYTES, lengths[i] - at);
            listeners[i].moved(locals[i], localOffsets[i] + at, piece);
        }
    }
}
