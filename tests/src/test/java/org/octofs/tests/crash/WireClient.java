package org.octofs.tests.crash;

import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToIntFunction;
import org.octofs.rpc.cluster.ClusterHello;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.fabric.WorkStatus;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.ReclaimRequest;
import org.octofs.rpc.protocol.message.RegionsReply;
import org.octofs.rpc.rpc.RpcCall;
import org.octofs.rpc.rpc.RpcClient;
import org.octofs.rpc.rpc.RpcClientConfig;
import org.octofs.rpc.rpc.RpcConnectionListener;
import org.octofs.rpc.rpc.RpcException;

/** Calls and one-sided writes of a client, the messages as they are; calls are sent again over a server's restart. */
final class WireClient {
    static final long CLIENT_ID = 0x4711;
    private static final int REQUEST_BYTES = 128 << 10;
    private static final long PATIENCE_NANOS = 600_000_000_000L;
    private static final int KIND_DATA = 1;

    /** Calls whose answer is a promise. */
    private static final Set<Integer> CHANGING = Set.of(
            OpCode.CREATE,
            OpCode.MKDIR,
            OpCode.UNLINK,
            OpCode.RMDIR,
            OpCode.RENAME,
            OpCode.LINK,
            OpCode.SETATTR,
            OpCode.SETXATTR,
            OpCode.REMOVEXATTR,
            OpCode.COMMIT,
            TwoPhaseCommit.BEGIN);

    private final CrashWorld world;
    private final Fabric fabric;
    private final List<RpcClient> links = new ArrayList<>();
    private final Map<Long, Integer> opens = new TreeMap<>();
    private MessageBuffer reply = new MessageBuffer();
    private boolean finished;
    private RpcException failure;
    private int errno;
    private int opCode;
    private int changes;
    private long lastCallNanos;
    private boolean polling;

    WireClient(CrashWorld world, Fabric fabric) {
        this.world = world;
        this.fabric = fabric;
        try {
            for (int node = 0; node < world.nodeCount(); node++) {
                RpcClient link = new RpcClient(
                        fabric,
                        RpcClientConfig.of(world.address(node), CLIENT_ID)
                                .withTransport(TransportChoice.LOOPBACK)
                                .withSlotCount(2)
                                .withConnectsInPoll(true)
                                .withHello(ClusterHello.client(world.map.id()).encode()),
                        RpcConnectionListener.NONE);
                link.setMapEpoch(1);
                links.add(link);
            }
        } catch (RpcException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Delivers what has come; nothing when called from inside itself, as a watcher may do. */
    int poll() {
        if (polling) {
            return 0;
        }
        polling = true;
        try {
            int done = 0;
            for (RpcClient link : links) {
                done += link.poll();
            }
            return done;
        } finally {
            polling = false;
        }
    }

    /** Changing calls that were answered OK: what a crash must not undo. */
    int changesAnswered() {
        return changes;
    }

    /** How long the last call took, on the world's clock. */
    long lastCallNanos() {
        return lastCallNanos;
    }

    /** The client has opened a file once more, or closed it once. */
    void holds(long ino, int change) {
        opens.merge(ino, change, Integer::sum);
    }

    /**
     * Calls and waits; the reply's body is kept. A server that was restarted and wants to know first what is open is told.
     */
    Errno call(int node, int code, ToIntFunction<MessageBuffer> filler) {
        Errno outcome = callOnce(node, code, filler);
        while (outcome == Errno.ENOT_READY) {
            reclaim(node, opens);
            outcome = callOnce(node, code, filler);
        }
        return outcome;
    }

    /** Tells a server that these inodes are open, as often, as far as they are at home there, and that nothing is locked. */
    void reclaim(int node, Map<Long, Integer> open) {
        List<Long> here = open.keySet().stream()
                .filter(ino -> open.get(ino) > 0 && world.home(ino) == node)
                .toList();
        Errno outcome = callOnce(node, OpCode.RECLAIM, body -> {
            ReclaimRequest message = new ReclaimRequest().wrap(body).last(1).reserved(0);
            message.opensCount(here.size());
            for (int i = 0; i < here.size(); i++) {
                body.putU64(message.opens(i), here.get(i));
                body.putU64(message.opens(i) + Long.BYTES, open.get(here.get(i)));
            }
            message.locksCount(0);
            return message.bodyBytes();
        });
        if (outcome != Errno.OK) {
            throw new AssertionError("what is open was told to node " + node + ", which answered " + outcome);
        }
    }

    private Errno callOnce(int node, int code, ToIntFunction<MessageBuffer> filler) {
        long begin = world.clock.monotonicNanos();
        opCode = code;
        finished = false;
        failure = null;
        try {
            RpcCall call = links.get(node).begin(code, REQUEST_BYTES, world.clock.monotonicNanos() + PATIENCE_NANOS);
            call.sendAsync(filler.applyAsInt(call.request()), this::completed);
        } catch (RpcException e) {
            throw new UncheckedIOException(e);
        }
        world.until(() -> finished, "call " + code + " to node " + node + " is answered");
        lastCallNanos = world.clock.monotonicNanos() - begin;
        if (failure != null) {
            throw new UncheckedIOException(failure);
        }
        return Errno.of(errno);
    }

    /** As {@link #call}, and OK is the only answer that is right. */
    MessageBuffer ok(int node, int opCode, ToIntFunction<MessageBuffer> filler) {
        Errno outcome = call(node, opCode, filler);
        if (outcome != Errno.OK) {
            throw new AssertionError("call " + opCode + " to node " + node + " was answered " + outcome);
        }
        return reply;
    }

    private void completed(RpcCall call, RpcException problem) {
        failure = problem;
        if (problem == null) {
            errno = call.errno();
            if (errno == 0 && CHANGING.contains(opCode)) {
                changes++;
            }
            byte[] copy = new byte[call.reply().lengthBytes()];
            call.reply().getBytes(0, copy, 0, copy.length);
            reply = new MessageBuffer(MemorySegment.ofArray(copy));
        }
        finished = true;
        call.close();
    }

    /** One-sided write into the data zone of a node; again over a new connection if need be. */
    void push(int node, long poolOffset, MemorySegment data) {
        boolean done = false;
        while (!done) {
            MessageBuffer body = ok(node, OpCode.REGIONS, _ -> 0);
            RegionsReply regions = new RegionsReply().wrap(body);
            Connection connection = links.get(node).connection();
            WorkRequest work = new WorkRequest();
            for (int i = 0; i < regions.regionsCount(); i++) {
                int at = regions.regions(i);
                long start = body.getU64(at);
                if (body.getI32(at + 24) == KIND_DATA
                        && poolOffset >= start
                        && poolOffset < start + body.getU64(at + 8)) {
                    work.writeFrom(data, 0, (int) data.byteSize(), body.getU64(at + 16), poolOffset - start);
                }
            }
            if (connection != null) {
                connection.post(work);
                done = work.status() == WorkStatus.SUCCESS;
            }
            if (!done) {
                world.turn();
            }
        }
    }

    void close() {
        links.forEach(RpcClient::close);
        fabric.close();
    }
}
