package org.octofs.server.ops;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.CloseRequest;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.session.ClientSession;

/** CLOSE: takes back one open per inode number listed. Unknown ones are ignored. Answers EPROTO for a list that does not fit. */
public final class CloseHandler implements OperationHandler {
    private final CloseRequest message = new CloseRequest();

    @Override
    public void handle(RpcRequest request, ServerState state) {
        MessageBuffer body = request.body();
        message.wrap(body);
        int count = message.inodesCount();
        if (count < 0 || count > body.lengthBytes() / Long.BYTES) {
            throw OperationException.of(Errno.EPROTO);
        }
        ClientSession session = state.session(request);
        for (int i = 0; i < count && session != null; i++) {
            long ino = body.getU64(message.inodes(i));
            if (state.opens().close(session, ino)) {
                state.orphans().closed(ino);
            }
        }
        request.send(0, 0);
    }
}
