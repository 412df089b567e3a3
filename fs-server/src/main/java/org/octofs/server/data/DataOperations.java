package org.octofs.server.data;

import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.pmem.pool.PmemPool;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.server.ops.Dispatcher;
import org.octofs.server.ops.ServerState;
import org.octofs.server.space.LocalSegments;
import org.octofs.server.space.ReservationTable;
import org.octofs.server.space.SegmentExchange;
import org.octofs.server.space.SegmentHandler;
import org.octofs.server.space.SegmentPeers;
import org.octofs.server.space.ShardSpace;

/**
 * Puts the parts that deal with space and data together and into a server.
 *
 * <p>Threading: confined to the server's worker.
 */
public final class DataOperations {
    private DataOperations() {}

    /**
     * Fills the seam {@link ServerState#contents} and registers MAP, RESERVE, RETURN_BLOCKS, COMMIT, PERSIST,
     * COPY_BLOCKS and the SEGMENT operations. Before recovery, which must go through the seam.
     *
     * @param pool this server's pool
     * @param peers calls to the other servers
     */
    public static FileSpace install(ServerState state, Dispatcher dispatcher, PmemPool pool, SegmentPeers peers) {
        Zone reservations = pool.zone(ZoneKind.RESERVATION_TABLE);
        ShardSpace space = new ShardSpace(
                state.map(),
                state.nodeId(),
                new ReservationTable(state.store(), reservations.offset(), reservations.lengthBytes()));
        LocalSegments local = new LocalSegments(state.store(), pool.segmentTable(), state.nodeId());
        SegmentExchange segments =
                new SegmentExchange(space, local, state.map(), state.nodeId(), peers, state.clock()::monotonicNanos);
        FileSpace files = new FileSpace(state.store(), state.transaction(), space, segments, state.clock());
        ReserveHandler reserve = new ReserveHandler(files);
        files.retrying(reserve, now -> reserve.retry(now, dispatcher::handle));
        Zone data = pool.zone(ZoneKind.DATA);
        SegmentHandler segmentHandler = new SegmentHandler(segments);
        dispatcher
                .register(OpCode.MAP, new MapHandler(files))
                .register(OpCode.RESERVE, reserve)
                .register(OpCode.RETURN_BLOCKS, new ReturnBlocksHandler(files))
                .register(OpCode.COMMIT, new CommitHandler(files))
                .register(OpCode.PERSIST, new PersistHandler(pool.medium(), data))
                .register(OpCode.COPY_BLOCKS, new CopyBlocksHandler(pool.medium(), data, pool.openedIncarnation()))
                .register(OpCode.SEGMENT_ACQUIRE, segmentHandler)
                .register(OpCode.SEGMENT_RELEASE, segmentHandler)
                .register(OpCode.SEGMENT_LIST, segmentHandler);
        state.contents(files);
        return files;
    }
}
