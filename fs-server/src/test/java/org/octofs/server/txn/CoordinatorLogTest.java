package org.octofs.server.txn;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.octofs.pmem.log.LogRecord;
import org.octofs.pmem.log.RedoLog;
import org.octofs.pmem.medium.Progress;
import org.octofs.pmem.medium.RecordingMedium;
import org.octofs.pmem.pool.GeometryOptions;
import org.octofs.pmem.pool.PmemPool;
import org.octofs.pmem.pool.PoolExpectation;
import org.octofs.pmem.pool.PoolFormatter;
import org.octofs.pmem.pool.PoolIdentity;
import org.octofs.rpc.rpc.RpcCall;
import org.octofs.rpc.rpc.RpcException;
import org.octofs.server.store.RecordType;

/** Goal: a log half full of what is still being written does not keep its worker busy. Method: peers that never complete a write. */
class CoordinatorLogTest {
    private static final UUID CLUSTER = new UUID(3, 4);
    private static final int OTHER = 1;

    private final List<ServerPeers.WriteCompletion> writes = new ArrayList<>();
    private int asked;

    private final ServerPeers peers = new ServerPeers() {
        @Override
        public boolean isReady(int node) {
            return node == OTHER;
        }

        @Override
        public int incarnation(int node) {
            return 1;
        }

        @Override
        public RpcCall begin(int node, int opCode, int maxRequestBytes, long deadlineNanos) throws RpcException {
            asked++;
            throw new RpcException("nobody answers in this test");
        }

        @Override
        public void write(int node, DispatchWrites what, WriteCompletion completion) {
            writes.add(completion);
        }
    };

    @Test
    void hasNothingToDoWhileEverythingIsBeingWritten() throws IOException {
        RecordingMedium medium = new RecordingMedium(4 << 20);
        PoolFormatter.format(
                medium, new PoolIdentity(CLUSTER, 0, 2, 2), GeometryOptions.tinyDefaults(), 0, Progress.NONE);
        try (PmemPool pool = PmemPool.open(medium, new PoolExpectation(CLUSTER, 0))) {
            RedoLog log = pool.redoLog();
            log.replay(record -> {});
            CoordinatorLog coordinator = new CoordinatorLog(log, 0, 2, (step, txnId) -> {});
            coordinator.start(peers);
            for (long txn = 1; log.retainedBytes() <= log.retainedBytesMax() / 2; txn++) {
                DispatchWrites images = new DispatchWrites(1 << 20);
                images.add(1 << 20, MemorySegment.ofArray(new byte[1024]), 0, 1024);
                Dispatch dispatch = new Dispatch(txn, OTHER, images);
                LogRecord record = log.begin(RecordType.DISTRIBUTED).txnId(txn);
                record.payload(OTHER, images.segment(), 0, images.encodedBytes());
                long sequence = log.commit(record);
                log.apply(record);
                log.retain(sequence);
                coordinator.add(txn, sequence, List.of(dispatch), 0);
                coordinator.post(dispatch, 1);
            }
            long later = 1_000_000_000L;
            assertThat(coordinator.doWork(later))
                    .as("work, with all of it on its way")
                    .isZero();
            assertThat(asked).isZero();
            writes.forEach(write -> write.completed(true));
            coordinator.doWork(later);
            assertThat(asked).as("questions, once it may have arrived").isEqualTo(1);
        }
    }
}
