package org.octofs.rpc.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What two processes settle on, by what each of them has. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class AutoTransportTest {
    private static final Set<TransportKind> BOTH = EnumSet.of(TransportKind.SHM, TransportKind.TCP);

    private static TransportKind settle(Set<TransportKind> server, Set<TransportKind> client, TransportChoice choice)
            throws Exception {
        try (Fabric far = FabricFactory.create(TestFabricConfig.named("server").withTransports(server));
                Fabric near =
                        FabricFactory.create(TestFabricConfig.named("client").withTransports(client))) {
            ReceiveQueue farQueue = far.createReceiveQueue();
            RecordingAcceptor acceptor = new RecordingAcceptor();
            Listener listener =
                    far.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), farQueue, acceptor);
            try (QueueThread thread = new QueueThread(farQueue)) {
                long deadline = near.nanoTime() + TimeUnit.SECONDS.toNanos(20);
                Connection connection =
                        near.connect(listener.address(), choice, new byte[0], near.createReceiveQueue(), deadline);
                assertThat(acceptor.takeConnected().transport()).isEqualTo(connection.transport());
                assertThat(thread.thread().isAlive()).isTrue();
                return connection.transport();
            }
        }
    }

    @Test
    void shmOnTheSameHostElseTcp() throws Exception {
        assertThat(settle(BOTH, BOTH, TransportChoice.AUTO)).isEqualTo(TransportKind.SHM);
        assertThat(settle(EnumSet.of(TransportKind.TCP), BOTH, TransportChoice.AUTO))
                .isEqualTo(TransportKind.TCP);
        assertThat(settle(BOTH, EnumSet.of(TransportKind.TCP), TransportChoice.AUTO))
                .isEqualTo(TransportKind.TCP);
    }

    @Test
    void aForcedTransportIsUsedOrRefused() throws Exception {
        assertThat(settle(BOTH, BOTH, TransportChoice.TCP)).isEqualTo(TransportKind.TCP);
        assertThat(settle(BOTH, BOTH, TransportChoice.SHM)).isEqualTo(TransportKind.SHM);
        assertThatThrownBy(() -> settle(EnumSet.of(TransportKind.TCP), BOTH, TransportChoice.SHM))
                .isInstanceOfSatisfying(
                        FabricException.class,
                        e -> assertThat(e.reason()).isEqualTo(FabricException.Reason.NO_TRANSPORT))
                .hasMessageContaining("this side has no transport SHM");
    }
}
