package org.octofs.server.ops;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.StatfsReply;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.store.MetaStore;
import org.octofs.server.store.PageKind;

/** STATFS: this node's part of the space. Never fails. */
public final class StatfsHandler implements OperationHandler {
    private final StatfsReply reply = new StatfsReply();

    @Override
    public void handle(RpcRequest request, ServerState state) {
        MetaStore store = state.store();
        // A file takes an inode slot and, mostly, a small dentry slot: 384 bytes of fresh pages.
        long fromPages = (long) store.freePageCount()
                * PageKind.PAGE_BYTES
                / (PageKind.slotBytes(PageKind.INODE) + PageKind.slotBytes(PageKind.DENTRY_SMALL));
        long free = store.freeSlotCount(PageKind.INODE) + fromPages;
        int nodes = state.map().nodeCount();
        MessageBuffer body = request.reply(StatfsReply.FIXED_BYTES + nodes * Long.BYTES);
        reply.wrap(body)
                .totalBlocks(state.contents().totalBlocks())
                .freeBlocks(state.contents().freeBlocks())
                .totalInodes(state.inodes().size() + free)
                .freeInodes(free)
                .nodeId(state.nodeId())
                .nodesCount(nodes);
        for (int node = 0; node < nodes; node++) {
            body.putU64(reply.nodes(node), state.contents().freeBlocks(node));
        }
        request.send(0, reply.bodyBytes());
    }
}
