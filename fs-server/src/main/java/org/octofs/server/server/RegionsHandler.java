package org.octofs.server.server;

import java.util.List;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.RegionsReply;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.ops.OperationHandler;
import org.octofs.server.ops.ServerState;
import org.octofs.server.session.ClientSession;

/**
 * REGIONS: what of this node's pool the caller may reach one-sidedly. Elements {u64 pool offset, u64 bytes, u64 rkey, u32 kind,
 * u32 zero}; the kinds are those of {@link ExportedRegions}. Never fails.
 */
final class RegionsHandler implements OperationHandler {
    private static final int ELEMENT_BYTES = 32;

    private final RegionsReply reply = new RegionsReply();
    private final ExportedRegions regions;
    private final long incarnation;
    private final long segmentBytes;

    RegionsHandler(ExportedRegions regions, long incarnation, long segmentBytes) {
        this.regions = regions;
        this.incarnation = incarnation;
        this.segmentBytes = segmentBytes;
    }

    @Override
    public void handle(RpcRequest request, ServerState state) {
        ClientSession session = state.session(request);
        boolean toServer = session != null && session.isServer();
        List<ExportedRegions.Exported> all = regions.all();
        MessageBuffer body = request.reply(RegionsReply.FIXED_BYTES + all.size() * ELEMENT_BYTES);
        reply.wrap(body)
                .incarnation(incarnation)
                .nodeId(state.nodeId())
                .segmentBytes((int) segmentBytes)
                .regionsCount(0);
        int count = 0;
        for (ExportedRegions.Exported exported : all) {
            if (toServer || !exported.isForServers()) {
                int at = reply.regionsOffset() + count * ELEMENT_BYTES;
                body.putU64(at, exported.poolOffset());
                body.putU64(at + 8, exported.region().lengthBytes());
                body.putU64(at + 16, exported.region().rkey());
                body.putU32(at + 24, exported.kind());
                body.putU32(at + 28, 0);
                count++;
            }
        }
        reply.regionsCount(count);
        request.send(0, reply.bodyBytes());
    }
}
