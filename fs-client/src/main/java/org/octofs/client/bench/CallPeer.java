package org.octofs.client.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.Locale;
import org.octofs.rpc.cluster.OctofsCommand;
import org.octofs.rpc.fabric.FabricException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * The servers of {@code bench paper}, one kind a process. Prints where it listens, ends when its standard input does.
 */
@Command(name = "bench-call-peer", hidden = true, description = "Used by 'bench paper'.")
public final class CallPeer implements OctofsCommand {
    /** Kinds of servers. */
    enum Kind {
        /** Requests named by an immediate. */
        IMMEDIATE,
        /** Requests found by looking. */
        SCAN,
        /** Requests sent over sockets. */
        MESSAGES,
        /** Requests of the product's RPC, for data as well. */
        PRODUCT
    }

    @Parameters(index = "0", paramLabel = "KIND", description = "${COMPLETION-CANDIDATES}, in small letters.")
    private String kind;

    @Parameters(index = "1", arity = "0..1", paramLabel = "PATH", description = "A Unix socket for messages.")
    private Path path;

    @Override
    public Integer call() throws IOException, FabricException {
        Kind chosen = Kind.valueOf(kind.toUpperCase(Locale.ROOT));
        switch (chosen) {
            case IMMEDIATE, SCAN -> {
                SlotPeer peer = new SlotPeer(chosen == Kind.SCAN);
                begin(Integer.toString(peer.listen().address().getPort()));
                peer.run();
            }
            case MESSAGES -> {
                SocketPeer peer = new SocketPeer(
                        path == null
                                ? new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)
                                : UnixDomainSocketAddress.of(path));
                begin(
                        peer.address() instanceof InetSocketAddress address
                                ? Integer.toString(address.getPort())
                                : path.toString());
                peer.run();
            }
            case PRODUCT -> {
                RpcPeer peer = new RpcPeer();
                begin(Integer.toString(peer.port()));
                peer.run();
            }
        }
        return 0;
    }

    private static void begin(String place) {
        System.out.println(place);
        BenchPeer.haltWithInput();
    }
}
