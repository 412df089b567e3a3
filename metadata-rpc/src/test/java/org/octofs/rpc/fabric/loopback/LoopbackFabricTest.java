package org.octofs.rpc.fabric.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.FabricContract;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.Listener;
import org.octofs.rpc.fabric.ReceiveQueue;
import org.octofs.rpc.fabric.RecordingAcceptor;
import org.octofs.rpc.fabric.TestFabricConfig;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.TransportKind;

/** The contract on a threaded loopback network. */
final class LoopbackFabricTest extends FabricContract {
    private final LoopbackNetwork network = LoopbackNetwork.threaded();

    @Override
    protected Fabric createFabric(FabricConfig config) {
        return network.createFabric(config);
    }

    @Override
    protected TransportChoice choice() {
        return TransportChoice.AUTO;
    }

    @Override
    protected TransportKind kind() {
        return TransportKind.LOOPBACK;
    }

    @Test
    void connectEndsWhenItsQueueIsClosedBeforeItIsDecided() throws Exception {
        Fabric server = createFabric(TestFabricConfig.named("slow server"));
        Fabric client = createFabric(TestFabricConfig.named("leaving client"));
        ReceiveQueue slow = server.createReceiveQueue();
        ReceiveQueue leaving = client.createReceiveQueue();
        Listener listener = server.listen(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), slow, new RecordingAcceptor());
        FutureTask<Connection> connect = new FutureTask<>(
                () -> client.connect(listener.address(), choice(), new byte[0], leaving, deadline() * 10));
        Thread.ofPlatform().daemon().start(connect);
        assertThat(slow.await(deadline())).as("the attempt has come").isTrue();

        leaving.close();
        slow.poll(1);

        assertThatThrownBy(() -> connect.get(20, TimeUnit.SECONDS))
                .hasCauseInstanceOf(FabricException.class)
                .hasMessageContaining("closed meanwhile");
        client.close();
        slow.close();
        server.close();
    }
}
