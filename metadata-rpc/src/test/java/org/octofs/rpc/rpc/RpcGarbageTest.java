package org.octofs.rpc.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.octofs.rpc.rpc.RpcWorld.in;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.Connection;
import org.octofs.rpc.fabric.ConnectionState;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.MemoryRegion;
import org.octofs.rpc.fabric.ReceiveQueue;
import org.octofs.rpc.fabric.WorkRequest;
import org.octofs.rpc.protocol.MessageHeaderLayout;

/**
 * A peer that sends nonsense: it loses its connection or is answered an error, no handler hears of it, and other clients
 * notice nothing.
 */
@Timeout(60)
class RpcGarbageTest {
    private static final long EVIL = 666;

    private RpcWorld world;
    private RpcClient honest;
    private Fabric fabric;
    private ReceiveQueue queue;
    private MemoryRegion replies;
    private final MemorySegment message = Arena.ofAuto().allocate(RpcLimits.SLOT_BYTES_MIN, Long.BYTES);

    @BeforeEach
    void openWorld() throws Exception {
        world = new RpcWorld(new LoopbackWires()).startServer();
        honest = world.client(1);
        fabric = world.newFabric("evil");
        queue = fabric.createReceiveQueue();
        replies = fabric.allocate(4 * RpcLimits.SLOT_BYTES_MIN, Access.readWrite());
    }

    @AfterEach
    void closeWorld() throws Exception {
        world.close();
    }

    @Test
    void headersThatCannotBeEndTheConnection() throws Exception {
        refuses(header -> header.lengthBytes = MessageHeaderLayout.SIZE_BYTES - 1);
        refuses(header -> header.lengthBytes = RpcLimits.SLOT_BYTES_MIN + 1);
        refuses(header -> header.lengthBytes = -1);
        refuses(header -> header.flags = 1 << 15);
        refuses(header -> header.flags = MessageHeaderLayout.FLAG_REPLY);
        refuses(header -> header.clientId = 1);
        refuses(header -> header.requestId = 0);
        refuses(header -> header.requestId = -3);
        refuses(header -> header.flags = MessageHeaderLayout.FLAG_CONTROL);
        refuses(header -> {
            header.flags = MessageHeaderLayout.FLAG_CONTROL;
            header.opCode = ControlLayout.OP_PLACE;
            header.lengthBytes = MessageHeaderLayout.SIZE_BYTES + 3;
        });
        refuses(header -> {
            // The body is zero: slots of no bytes.
            header.flags = MessageHeaderLayout.FLAG_CONTROL;
            header.opCode = ControlLayout.OP_PLACE;
            header.lengthBytes = MessageHeaderLayout.SIZE_BYTES + ControlLayout.SIZE_BYTES;
        });
    }

    @Test
    void immediatesOfOthersEndTheConnection() throws Exception {
        for (int wrong : new int[] {1 << 16, 4, 0xFFFF}) {
            Connection connection = connect();
            HelloLayout.HelloReply hello = HelloLayout.HelloReply.decode(connection.peerPrivateData());
            honestHeader().write(message, 0);
            send(connection, hello, (hello.sessionIndex() << 16) ^ wrong, 64);
            assertRefused(connection);
        }
    }

    /** The checksum covers every byte of the header. */
    @ParameterizedTest
    @ValueSource(ints = {0, 5, 17, 30, 41, 59, 63})
    void damagedHeadersEndTheConnection(int at) throws Exception {
        Connection connection = connect();
        HelloLayout.HelloReply hello = HelloLayout.HelloReply.decode(connection.peerPrivateData());
        honestHeader().write(message, 0);
        message.set(ValueLayout.JAVA_BYTE, at, (byte) (message.get(ValueLayout.JAVA_BYTE, at) ^ 0x10));
        send(connection, hello, hello.sessionIndex() << 16, 64);
        assertRefused(connection);
    }

    /** Bytes without any sense, many times; the seed is fixed, the server must be there afterwards. */
    @Test
    void randomBytesDoNotHurt() throws Exception {
        Random random = new Random(20_261_129);
        for (int i = 0; i < 50; i++) {
            Connection connection = connect();
            HelloLayout.HelloReply hello = HelloLayout.HelloReply.decode(connection.peerPrivateData());
            byte[] bytes = new byte[512];
            random.nextBytes(bytes);
            MemorySegment.copy(bytes, 0, message, ValueLayout.JAVA_BYTE, 0, bytes.length);
            send(connection, hello, hello.sessionIndex() << 16 | random.nextInt(4), bytes.length);
            assertRefused(connection);
        }
    }

    /** An opcode of zero is a well-formed message without a meaning: an error, not the end. */
    @Test
    void opCodeZeroIsAnswered() throws Exception {
        Connection connection = connect();
        HelloLayout.HelloReply hello = HelloLayout.HelloReply.decode(connection.peerPrivateData());
        MessageHeader header = honestHeader();
        header.opCode = 0;
        header.write(message, 0);
        long before = world.server.counters().refused();
        send(connection, hello, hello.sessionIndex() << 16, 64);
        assertThat(RpcContract.echo(honest, 8, 1)).isTrue();
        assertThat(world.server.counters().refused()).isEqualTo(before);
        assertThat(world.server.counters().calls()).as("the honest one's").isEqualTo(1);
    }

    /** A second request in a slot whose first is in work would overwrite what the handler reads. */
    @Test
    void aSlotInWorkTakesNoOtherRequest() throws Exception {
        world.keepRequests();
        Connection connection = connect();
        HelloLayout.HelloReply hello = HelloLayout.HelloReply.decode(connection.peerPrivateData());
        MessageHeader header = honestHeader();
        header.write(message, 0);
        send(connection, hello, hello.sessionIndex() << 16, 64);
        RpcRequest request = world.takeKept();
        world.onRequest = RpcWorld::echo;
        header.requestId++;
        header.write(message, 0);
        send(connection, hello, hello.sessionIndex() << 16, 64);
        assertRefused(connection);
        // The handler may answer whenever it likes, even after the session's end.
        world.inWorkerNow(() -> world.server.endSession(EVIL));
        world.inWorkerNow(() -> request.send(0, 0));
    }

    /** Older requests than the slot's last are dropped without a word. */
    @Test
    void oldRequestsAreDropped() throws Exception {
        Connection connection = connect();
        HelloLayout.HelloReply hello = HelloLayout.HelloReply.decode(connection.peerPrivateData());
        MessageHeader header = honestHeader();
        header.requestId = 10;
        header.write(message, 0);
        send(connection, hello, hello.sessionIndex() << 16, 64);
        RpcResendTest.awaitTrue(() -> world.server.counters().calls() == 1);
        header.requestId = 9;
        header.write(message, 0);
        send(connection, hello, hello.sessionIndex() << 16, 64);
        RpcResendTest.awaitTrue(() -> world.server.counters().lateMessages() == 1);
        assertThat(world.server.counters().calls()).isEqualTo(1);
        assertThat(connection.state()).isEqualTo(ConnectionState.OPEN);
    }

    @Test
    void hellosThatCannotBeAreRefusedWithAReason() {
        byte[] good = new HelloLayout.Hello(4, RpcLimits.SLOT_BYTES_MIN, EVIL, 0, new byte[0]).encode();
        refusesHello(new byte[0], "too short");
        refusesHello(new byte[512], "does not speak the RPC");
        refusesHello(changed(good, HelloLayout.VERSION_OFFSET, 2), "same release");
        refusesHello(changed(good, HelloLayout.SLOTS_OR_SESSION_OFFSET, 0), "slots");
        refusesHello(changed(good, HelloLayout.SLOTS_OR_SESSION_OFFSET + 1, 9), "slots");
        refusesHello(changed(good, HelloLayout.SLOT_BYTES_OFFSET, 3), "bytes");
        refusesHello(changed(good, HelloLayout.USER_BYTES_OFFSET, 1), "announces");
        assertThat(world.opened.get()).as("only the honest one").isEqualTo(1);
    }

    private void refusesHello(byte[] hello, String words) {
        assertThatThrownBy(() -> fabric.connect(world.address, world.wires.choice(), hello, queue, in(10)))
                .isInstanceOfSatisfying(
                        FabricException.class, e -> assertThat(e.reason()).isEqualTo(FabricException.Reason.REFUSED))
                .hasMessageContaining(words);
    }

    private static byte[] changed(byte[] bytes, int at, int value) {
        byte[] copy = bytes.clone();
        copy[at] = (byte) value;
        return copy;
    }

    private void refuses(Consumer<MessageHeader> damage) throws Exception {
        Connection connection = connect();
        HelloLayout.HelloReply hello = HelloLayout.HelloReply.decode(connection.peerPrivateData());
        MessageHeader header = honestHeader();
        damage.accept(header);
        header.write(message, 0);
        send(connection, hello, hello.sessionIndex() << 16, 128);
        assertRefused(connection);
    }

    private void assertRefused(Connection connection) throws Exception {
        RpcResendTest.awaitTrue(() -> {
            queue.poll(10);
            return connection.state() == ConnectionState.FAILED;
        });
        connection.close();
        assertThat(RpcContract.echo(honest, 8, 1)).isTrue();
        long honestCalls = honest.counters().calls();
        assertThat(world.server.counters().calls() - honestCalls).isLessThanOrEqualTo(1);
        world.inWorkerNow(() -> world.server.endSession(EVIL));
    }

    private Connection connect() throws Exception {
        message.fill((byte) 0);
        byte[] hello = new HelloLayout.Hello(4, RpcLimits.SLOT_BYTES_MIN, EVIL, replies.rkey(), new byte[0]).encode();
        Connection connection = fabric.connect(world.address, world.wires.choice(), hello, queue, in(10));
        connection.receiver((from, immediate) -> {});
        connection.grant(replies);
        return connection;
    }

    private static MessageHeader honestHeader() {
        MessageHeader header = new MessageHeader();
        header.lengthBytes = MessageHeaderLayout.SIZE_BYTES;
        header.opCode = RpcWorld.OP_ECHO;
        header.clientId = EVIL;
        header.requestId = 1;
        header.timeLeftMillis = 1000;
        return header;
    }

    private void send(Connection connection, HelloLayout.HelloReply hello, int immediate, int bytes) throws Exception {
        WorkRequest work = new WorkRequest();
        work.writeImmediateFrom(message, 0, bytes, hello.requestRkey(), 0, immediate);
        connection.post(work);
        try {
            connection.await(work, in(10));
        } catch (FabricException e) {
            // The server may have dropped the connection before it acknowledged.
            assertThat(e.reason()).isEqualTo(FabricException.Reason.CONNECTION_FAILED);
        }
    }
}
