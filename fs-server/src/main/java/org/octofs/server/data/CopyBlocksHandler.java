package org.octofs.server.data;

import java.lang.foreign.MemorySegment;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.medium.PmemMedium;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.message.CopyBlocksRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ops.OperationException;
import org.octofs.server.ops.OperationHandler;
import org.octofs.server.ops.ServerState;

/**
 * COPY_BLOCKS: copies blocks within this node's DATA zone; durable when answered, with one fence for all ranges. What is copied to has
 * been lent to the client by a home elsewhere, so that nobody here can tell whether it may: as with its one-sided writes, the end of
 * its session is what stops it. A request that outlives that session is never executed: in the life of the server that ended it
 * its connection is gone, and any later life refuses it.
 *
 * <p>Nothing is copied unless all ranges are in order. Answers ECANCELED (meant for another life of this server), EINVAL (nothing to
 * copy or more than {@link CopyBlocksRequest#COPY_BYTES_MAX}, a range that is not of whole blocks, that leaves the data zone, or whose two
 * places overlap).
 */
public final class CopyBlocksHandler implements OperationHandler {
    private final PmemMedium medium;
    private final Zone data;
    private final long incarnation;
    private final CopyBlocksRequest message = new CopyBlocksRequest();

    // Taken out of the request once: over some transports the client could change it between a check and its use.
    private final long[] from = new long[CopyBlocksRequest.RANGES_MAX];
    private final long[] to = new long[CopyBlocksRequest.RANGES_MAX];
    private final long[] lengthBytes = new long[CopyBlocksRequest.RANGES_MAX];

    /** @param incarnation which life of the server this is */
    public CopyBlocksHandler(PmemMedium medium, Zone data, long incarnation) {
        this.medium = medium;
        this.data = data;
        this.incarnation = incarnation;
    }

    @Override
    public void handle(RpcRequest request, ServerState state) {
        message.wrap(request.body());
        if (message.incarnation() != incarnation) {
            throw OperationException.of(Errno.ECANCELED);
        }
        int ranges = message.rangesCount();
        if (!isInOrder(ranges)) {
            throw OperationException.of(Errno.EINVAL);
        }
        MemorySegment pool = medium.memory();
        for (int i = 0; i < ranges; i++) {
            medium.copyNonTemporal(to[i], pool, from[i], lengthBytes[i]);
        }
        medium.fence();
        request.send(0, 0);
    }

    private boolean isInOrder(int ranges) {
        if (ranges < 1 || ranges > CopyBlocksRequest.RANGES_MAX) {
            return false;
        }
        long sum = 0;
        for (int i = 0; i < ranges; i++) {
            from[i] = message.sourceOffset(i);
            to[i] = message.targetOffset(i);
            lengthBytes[i] = message.lengthBytes(i);
            if (lengthBytes[i] < 1
                    || lengthBytes[i] > CopyBlocksRequest.COPY_BYTES_MAX - sum
                    || !data.contains(from[i], lengthBytes[i])
                    || !data.contains(to[i], lengthBytes[i])
                    || (from[i] | to[i] | lengthBytes[i]) % BlockLocation.BLOCK_BYTES != 0
                    || Math.abs(from[i] - to[i]) < lengthBytes[i]) {
                return false;
            }
            sum += lengthBytes[i];
        }
        return true;
    }
}
