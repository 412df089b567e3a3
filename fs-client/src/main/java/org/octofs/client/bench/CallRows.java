package org.octofs.client.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.octofs.rpc.fabric.TransportChoice;

/** Rows of {@code bench paper} about ways to call a server, for one number of clients, in turns. One thread. */
final class CallRows {
    private static final String OF = "of self-id.";

    private CallRows() {}

    static void run(Report report, String prefix, TransportChoice transport, int clients, long nanos) throws Exception {
        Map<String, CallWire> wires = new LinkedHashMap<>();
        try {
            wires.put("self-identified RPC", new SlotWire(false, clients, transport));
            wires.put("buffer scanning", new SlotWire(true, clients, transport));
            boolean unix = transport == TransportChoice.SHM;
            wires.put("send and receive, " + (unix ? "Unix" : "TCP") + " sockets", new SocketWire(unix, clients));
            wires.put("the product's RPC", new RpcWire(clients, transport));
            List<ClosedLoop.Result> results = new ClosedLoop(clients, System::nanoTime)
                    .measure(BenchOptions.warmUpNanos(nanos), nanos, new ArrayList<>(wires.values()));
            double first = results.getFirst().perSecond();
            int i = 0;
            for (String name : wires.keySet()) {
                ClosedLoop.Result result = results.get(i++);
                report.add(new Row(prefix + name)
                        .with(Row.CALLERS, clients)
                        .with(Row.RATE, result.perSecond())
                        .with(OF, result.perSecond() / first)
                        .with("server us", result.serverMicros())
                        .latency(result.nanos()));
            }
        } finally {
            wires.values().forEach(CallWire::close);
        }
    }
}
