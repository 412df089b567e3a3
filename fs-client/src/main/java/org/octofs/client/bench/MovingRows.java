package org.octofs.client.bench;

import java.util.ArrayList;
import java.util.List;
import org.octofs.client.bench.MovingClient.Mover;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.rpc.RpcLimits;

/** Rows of {@code bench paper} about who moves the data, for one number of clients, each a thread. */
final class MovingRows implements AutoCloseable {
    private static final String OF = "of client-active";

    private final Report report;
    private final String prefix;
    private final int callers;
    private final long nanos;
    private final Crew crew;
    private final PeerProcess peer = new PeerProcess("bench-call-peer", "product");
    private final Fabric fabric;
    private final List<MovingClient> clients = new ArrayList<>();

    MovingRows(Report report, String prefix, TransportChoice transport, int callers, long nanos) throws Exception {
        this.report = report;
        this.prefix = prefix;
        this.callers = callers;
        this.nanos = nanos;
        crew = new Crew(callers, System::nanoTime);
        fabric = FabricFactory.create(BenchFabric.plainConfig("bench moving"));
        for (int i = 0; i < callers; i++) {
            clients.add(new MovingClient(fabric, peer.address(), transport, i + 1));
        }
        for (MovingClient client : clients) {
            client.check();
        }
    }

    void run(int bytes) throws Exception {
        List<Mover> movers = new ArrayList<>(List.of(Mover.CLIENT, Mover.SERVER));
        if (bytes + RpcPeer.HEADER_BYTES <= RpcLimits.BODY_BYTES_MAX) {
            movers.add(Mover.MESSAGE);
        }
        compare("read", bytes, movers, (client, mover) -> client.read(mover, client.place(bytes), bytes));
        compare("write", bytes, movers, (client, mover) -> client.write(mover, client.place(bytes), bytes));
    }

    private interface Transfer {
        void run(MovingClient client, Mover mover) throws Exception;
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private void compare(String name, int bytes, List<Mover> movers, Transfer transfer) throws Exception {
        List[] kinds = new List[movers.size()];
        for (int i = 0; i < kinds.length; i++) {
            Mover mover = movers.get(i);
            List<Crew.Work> works = new ArrayList<>();
            for (MovingClient client : clients) {
                works.add(_ -> transfer.run(client, mover));
            }
            kinds[i] = works;
        }
        List<Crew.Result> results = crew.measure(BenchOptions.warmUpNanos(nanos), nanos, kinds);
        double first = results.getFirst().perSecond();
        for (int i = 0; i < kinds.length; i++) {
            Crew.Result result = results.get(i);
            report.add(new Row(prefix + name + ", " + movers.get(i).words())
                    .with(Row.BYTES, bytes)
                    .with(Row.CALLERS, callers)
                    .with(Row.MEGABYTES, result.megabytesPerSecond(bytes))
                    .with(Row.RATE, result.perSecond())
                    .with(OF, result.perSecond() / first)
                    .latency(result.nanos()));
        }
    }

    @Override
    public void close() {
        crew.close();
        clients.forEach(MovingClient::close);
        fabric.close();
        peer.close();
    }
}
