package org.octofs.server.lease;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.RecallsReply;
import org.octofs.rpc.rpc.RpcRequest;

/** Writes the answers to RECALLS. Confined to the worker. */
final class RecallAnswers {
    private static final int RECALLS_MAX = 64;
    private static final int RECALL_BYTES = 24;

    private final RecallsReply reply = new RecallsReply();
    private final LeaseWords words;

    RecallAnswers(LeaseWords words) {
        this.words = words;
    }

    /** The client has to begin anew. */
    void refuse(LeaseClient client) {
        RpcRequest request = client.parked;
        client.parked = null;
        request.send(Errno.ESTALE.value, 0);
    }

    /** The request's acknowledgements were taken; what is new goes out with another answer. */
    void nothing(RpcRequest request) {
        reply.wrap(request.reply(RecallsReply.FIXED_BYTES))
                .word(0)
                .wordOffset(0)
                .recallCount(0)
                .recallsLength(0);
        request.send(0, reply.bodyBytes());
    }

    /** What the client was not told yet, as much as fits, by the request that waits for it; may be nothing. */
    void news(LeaseClient client) {
        RpcRequest request = client.parked;
        client.parked = null;
        send(request, client);
    }

    /** The same by any request. */
    void send(RpcRequest request, LeaseClient client) {
        int count = Math.min(RECALLS_MAX, client.pending.size() - client.told);
        int bytes = RecallsReply.FIXED_BYTES;
        for (int i = 0; i < count; i++) {
            bytes += RECALL_BYTES + padded(client.pending.get(client.told + i).name.length);
        }
        MessageBuffer body = request.reply(bytes);
        reply.wrap(body);
        int at = reply.recallsOffset();
        long word = client.word;
        for (int i = 0; i < count; i++) {
            LeaseClient.Recall recall = client.pending.get(client.told + i);
            byte[] name = recall.name;
            body.putU64(at, recall.number);
            body.putU64(at + 8, recall.lease.ino);
            body.putU32(at + 16, recall.lease.kind);
            body.putU32(at + 20, name.length);
            body.putBytes(at + RECALL_BYTES, name, 0, name.length);
            body.zero(at + RECALL_BYTES + name.length, padded(name.length) - name.length);
            at += RECALL_BYTES + padded(name.length);
            word = recall.number;
        }
        client.told += count;
        // With more to come, the client may not use its leases yet: it has not heard of all that are recalled.
        reply.word(client.hasNews() ? word : client.word)
                .wordOffset(words.offset(client.sessionIndex))
                .recallCount(count)
                .recallsLength(at - reply.recallsOffset());
        request.send(0, bytes);
    }

    private static int padded(int length) {
        return (length + 7) & ~7;
    }
}
