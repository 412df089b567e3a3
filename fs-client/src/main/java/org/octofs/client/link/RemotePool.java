package org.octofs.client.link;

import java.util.Arrays;
import org.octofs.client.client.FsException;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.ConnectionState;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.RegionsReply;

/**
 * A node's exported memory as seen over one connection: translates pool offsets to regions. Immutable; a new one is
 * made after every reconnect, and the old one's requests fail.
 */
public final class RemotePool {
    private static final int POOL_OFFSET_OFFSET = 0;
    private static final int LENGTH_BYTES_OFFSET = POOL_OFFSET_OFFSET + Long.BYTES;
    private static final int RKEY_OFFSET = LENGTH_BYTES_OFFSET + Long.BYTES;

    private final int nodeId;
    private final Connection connection;
    private final long incarnation;
    private final boolean pushesAreDurable;
    private final long[] starts;
    private final long[] ends;
    private final long[] rkeys;

    RemotePool(int nodeId, Connection connection, Fabric fabric, MessageBuffer body) throws FsException {
        RegionsReply reply = new RegionsReply().wrap(body);
        this.nodeId = nodeId;
        this.connection = connection;
        this.pushesAreDurable = switch (connection.transport()) {
            case LOOPBACK -> true; // memory of this process
            case SHM -> fabric.config().bulkCopier() != null; // non-temporal stores and a fence
            default -> false;
        };
        this.incarnation = reply.incarnation();
        if (reply.nodeId() != nodeId) {
            throw new FsException(
                    Errno.EPROTO,
                    "the server at the address of node " + nodeId + " says that it is node " + reply.nodeId()
                            + "; correct the cluster file");
        }
        int count = reply.regionsCount();
        long[][] regions = new long[count][];
        for (int i = 0; i < count; i++) {
            int at = reply.regions(i);
            long start = body.getU64(at + POOL_OFFSET_OFFSET);
            regions[i] =
                    new long[] {start, start + body.getU64(at + LENGTH_BYTES_OFFSET), body.getU64(at + RKEY_OFFSET)};
        }
        Arrays.sort(regions, (a, b) -> Long.compare(a[0], b[0]));
        starts = new long[count];
        ends = new long[count];
        rkeys = new long[count];
        for (int i = 0; i < count; i++) {
            starts[i] = regions[i][0];
            ends[i] = regions[i][1];
            rkeys[i] = regions[i][2];
        }
    }

    /** The connection that the regions are reached over. */
    public Connection connection() {
        return connection;
    }

    /** Bytes of the pool that are exported. */
    public long sizeBytes() {
        long sum = 0;
        for (int i = 0; i < starts.length; i++) {
            sum += ends[i] - starts[i];
        }
        return sum;
    }

    /** Whether a completed push is durable, with nothing more to be done. */
    public boolean pushesAreDurable() {
        return pushesAreDurable;
    }

    /** Which life of the server this is. */
    public long incarnation() {
        return incarnation;
    }

    /** Whether requests over this can still succeed. */
    boolean isUsable() {
        return connection.state() == ConnectionState.OPEN;
    }

    /**
     * Which region holds a pool offset.
     *
     * @throws FsException EIO if none does: a damaged block map, or a server that exports less than it should
     */
    int regionOf(long poolOffset) throws FsException {
        for (int i = starts.length - 1; i >= 0; i--) {
            if (poolOffset >= starts[i]) {
                if (poolOffset < ends[i]) {
                    return i;
                }
                break;
            }
        }
        throw new FsException(
                Errno.EIO, "node " + nodeId + " exports no memory at pool offset " + poolOffset + "; check its pool");
    }

    long rkey(int region) {
        return rkeys[region];
    }

    long offsetIn(int region, long poolOffset) {
        return poolOffset - starts[region];
    }

    /** Bytes from a pool offset to the end of its region. */
    long bytesLeftIn(int region, long poolOffset) {
        return ends[region] - poolOffset;
    }
}
