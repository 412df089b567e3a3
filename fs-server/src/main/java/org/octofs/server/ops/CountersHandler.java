package org.octofs.server.ops;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.octofs.pmem.medium.MediumCounters;
import org.octofs.rpc.protocol.message.CountersReply;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.store.MetaStore;
import org.octofs.server.store.PageKind;

/** COUNTERS: what this node has done since it started, for benchmarks. Never fails. */
public final class CountersHandler implements OperationHandler {
    private final CountersReply reply = new CountersReply();
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final Dispatcher dispatcher;

    CountersHandler(Dispatcher dispatcher) {
        this.dispatcher = dispatcher;
    }

    @Override
    public void handle(RpcRequest request, ServerState state) {
        MetaStore store = state.store();
        MediumCounters counters = store.medium().counters();
        reply.wrap(request.reply(CountersReply.FIXED_BYTES))
                .requests(dispatcher.count())
                .fences(counters.fences())
                .flushes(counters.flushCalls())
                .flushedLines(counters.flushedLines())
                .nonTemporalBytes(counters.nonTemporalBytes())
                .workerCpuNanos(threads.getCurrentThreadCpuTime())
                .processCpuNanos(process.getProcessCpuTime())
                .metadataBytes((long) (store.pageCount() - store.freePageCount()) * PageKind.PAGE_BYTES)
                .leases(state.leases().size())
                .recalls(state.leases().recalled())
                .unanswered(state.leases().unanswered());
        request.send(0, CountersReply.FIXED_BYTES);
    }
}
