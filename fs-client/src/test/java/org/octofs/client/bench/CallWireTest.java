package org.octofs.client.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.TransportChoice;

/**
 * Goal: what {@code bench paper} compares really happens, between two processes. Method: the wires check each answer themselves;
 * bytes are written in each way and read in each.
 */
@Timeout(120)
class CallWireTest {
    private static final int CLIENTS = 3;
    private static final int CALLS = 50;

    @Test
    void immediatesNameTheirSlots() throws Exception {
        answersAll(new SlotWire(false, CLIENTS, TransportChoice.SHM));
    }

    @Test
    void scanningFindsRequests() throws Exception {
        answersAll(new SlotWire(true, CLIENTS, TransportChoice.SHM));
    }

    @Test
    void messagesGoOverSockets() throws Exception {
        answersAll(new SocketWire(true, CLIENTS));
    }

    @Test
    void theProductAnswers() throws Exception {
        answersAll(new RpcWire(CLIENTS, TransportChoice.SHM));
    }

    private static void answersAll(CallWire wire) throws Exception {
        try (wire) {
            int[] answers = new int[CLIENTS];
            // A second stretch: a server that rests in between must wake up.
            for (int stretch = 1; stretch <= 2; stretch++) {
                int wanted = stretch * CALLS;
                wire.wake();
                for (int client = 0; client < CLIENTS; client++) {
                    wire.call(client);
                }
                while (Arrays.stream(answers).sum() < CLIENTS * wanted) {
                    wire.poll(client -> {
                        if (++answers[client] < wanted) {
                            wire.call(client);
                        }
                    });
                }
                wire.rest();
            }
            assertThat(answers).containsOnly(2 * CALLS);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = TransportChoice.class,
            names = {"SHM", "TCP"})
    void whatOneWayHasBroughtTheOthersFind(TransportChoice transport) throws Exception {
        try (PeerProcess peer = new PeerProcess("bench-call-peer", "product");
                Fabric fabric = FabricFactory.create(BenchFabric.plainConfig("moving test"));
                MovingClient client = new MovingClient(fabric, peer.address(), transport, 1)) {
            client.check();
        }
    }
}
