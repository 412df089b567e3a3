package org.octofs.server.data;

import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.medium.PmemMedium;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.PersistRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ops.OperationException;
import org.octofs.server.ops.OperationHandler;
import org.octofs.server.ops.ServerState;

/**
 * PERSIST: makes data durable that a client has pushed into this node's DATA zone over a transport that does not do so
 * itself; a one-sided write that has completed is only visible. Asked at the node of the blocks, before the COMMIT at the
 * inode's home. One fence for all ranges.
 *
 * <p>Answers EINVAL (a range outside of the data zone; then nothing is promised of the others).
 */
public final class PersistHandler implements OperationHandler {
    private final PmemMedium medium;
    private final Zone data;
    private final PersistRequest message = new PersistRequest();

    public PersistHandler(PmemMedium medium, Zone data) {
        this.medium = medium;
        this.data = data;
    }

    @Override
    public void handle(RpcRequest request, ServerState state) {
        MessageBuffer body = request.body();
        message.wrap(body);
        int ranges = message.rangesCount();
        if (ranges < 0) {
            throw OperationException.of(Errno.EINVAL);
        }
        for (int i = 0; i < ranges; i++) {
            int at = message.ranges(i);
            long offset = body.getU64(at);
            long lengthBytes = body.getU64(at + Long.BYTES);
            if (!data.contains(offset, lengthBytes)) {
                throw OperationException.of(Errno.EINVAL);
            }
            medium.flush(offset, lengthBytes);
        }
        medium.fence();
        request.send(0, 0);
    }
}
