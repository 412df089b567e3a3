package org.octofs.rpc.fabric.handshake;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.rpc.fabric.ConnectionState;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricException.Reason;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.Listener;
import org.octofs.rpc.fabric.QueueThread;
import org.octofs.rpc.fabric.ReceiveQueue;
import org.octofs.rpc.fabric.RecordingAcceptor;
import org.octofs.rpc.fabric.TestFabricConfig;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.host.ProcessIdentity;
import org.octofs.rpc.fabric.host.SharedMemory;
import org.octofs.rpc.fabric.transport.ConnectionPage;

/** Raw sockets against a listener, and a client against raw sockets. After each, the listener still serves. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class HandshakeTest {
    private static final long HANDSHAKE_NANOS = 300_000_000L;

    private Fabric fabric;
    private ReceiveQueue queue;
    private QueueThread queueThread;
    private Listener listener;
    private RecordingAcceptor acceptor;

    @BeforeEach
    void listen() throws Exception {
        fabric = FabricFactory.create(TestFabricConfig.named("server").withPatience(HANDSHAKE_NANOS, 10_000_000_000L));
        queue = fabric.createReceiveQueue();
        acceptor = new RecordingAcceptor();
        listener = fabric.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), queue, acceptor);
        queueThread = new QueueThread(queue);
    }

    @AfterEach
    void closeAndCheckThatItStillServed() throws Exception {
        try (Fabric client = FabricFactory.create(TestFabricConfig.named("client"))) {
            ReceiveQueue clientQueue = client.createReceiveQueue();
            long deadline = client.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            assertThat(client.connect(listener.address(), TransportChoice.AUTO, new byte[0], clientQueue, deadline)
                            .state())
                    .isEqualTo(ConnectionState.OPEN);
        } finally {
            queueThread.close();
            fabric.close();
        }
    }

    private Rejection sendAndReadRefusal(byte[] bytes) throws Exception {
        try (Socket socket =
                new Socket(listener.address().getAddress(), listener.address().getPort())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(bytes);
            return readRefusal(socket);
        }
    }

    private static Rejection readRefusal(Socket socket) throws Exception {
        byte[] answer = socket.getInputStream().readAllBytes();
        Frame frame = Frame.decode(ByteBuffer.wrap(answer).order(ByteOrder.LITTLE_ENDIAN));
        assertThat(frame).as("a whole frame in %d bytes", answer.length).isNotNull();
        assertThat(frame.type()).isEqualTo(FrameType.REJECT);
        return Rejection.fromFrame(frame);
    }

    private static byte[] bytesOf(Frame frame) {
        ByteBuffer buffer = frame.toBytes();
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private static Introduction hello(int transportCode, byte[] parameters) throws Exception {
        return new Introduction(
                ProcessIdentity.self(),
                "raw",
                new byte[] {1},
                List.of(new Introduction.Offer(transportCode, parameters)));
    }

    private static byte[] goodHello() throws Exception {
        return bytesOf(hello(TransportKind.SHM.code, new byte[0]).toFrame(FrameType.HELLO));
    }

    @Test
    void anotherProtocolIsToldSo() throws Exception {
        Rejection rejection = sendAndReadRefusal("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(UTF_8));
        assertThat(rejection.reason()).isEqualTo(Reason.INCOMPATIBLE);
        assertThat(rejection.text()).contains("not the OctoFS protocol");
    }

    @Test
    void anotherVersionIsToldBothVersions() throws Exception {
        byte[] bytes = goodHello();
        bytes[FrameLayout.VERSION_OFFSET] = 9;
        Rejection rejection = sendAndReadRefusal(bytes);
        assertThat(rejection.reason()).isEqualTo(Reason.INCOMPATIBLE);
        assertThat(rejection.text()).contains("version 9", "version " + FrameLayout.VERSION);
    }

    @Test
    void impossibleLengthsAreRefusedAtOnce() throws Exception {
        byte[] bytes = goodHello();
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(FrameLayout.BODY_BYTES_OFFSET, -1);
        assertThat(sendAndReadRefusal(bytes).text()).contains("4294967295 bytes");
    }

    @Test
    void everyFlippedByteOfTheBodyIsNoticed() throws Exception {
        byte[] bytes = goodHello();
        for (int i = FrameLayout.HEADER_BYTES; i < bytes.length; i += 7) {
            byte[] changed = bytes.clone();
            changed[i] ^= 0x10;
            ByteBuffer buffer = ByteBuffer.wrap(changed).order(ByteOrder.LITTLE_ENDIAN);
            assertThatThrownBy(() -> Frame.decode(buffer))
                    .isInstanceOf(HandshakeException.class)
                    .hasMessageContaining("checksum");
        }
    }

    @Test
    void fieldsLongerThanTheFrameAndTrailingBytesAreRefused() throws Exception {
        Frame tooLong = Frame.create(FrameType.HELLO).putInt(0).putInt(0);
        for (int i = 0; i < 5; i++) {
            tooLong.putLong(i);
        }
        tooLong.putShort(200); // a name of 200 bytes that are not there
        assertThat(sendAndReadRefusal(bytesOf(tooLong)).text()).contains("too short");
        Frame trailing = hello(TransportKind.SHM.code, new byte[0])
                .toFrame(FrameType.HELLO)
                .putInt(5);
        assertThat(sendAndReadRefusal(bytesOf(trailing)).text()).contains("4 bytes too many");
        assertThat(sendAndReadRefusal(bytesOf(Frame.create(FrameType.BYE))).text())
                .contains("HELLO");
    }

    @Test
    void neededFeaturesThatAreUnknownAreRefused() throws Exception {
        Frame frame = Frame.create(FrameType.HELLO).putInt(0).putInt(0x40);
        Rejection rejection = sendAndReadRefusal(bytesOf(frame));
        assertThat(rejection.reason()).isEqualTo(Reason.INCOMPATIBLE);
        assertThat(rejection.text()).contains("0x40");
    }

    @Test
    void unknownTransportsAndForeignMemoryAreRefusedWithTheirReasons() throws Exception {
        Rejection unknown = sendAndReadRefusal(bytesOf(hello(77, new byte[0]).toFrame(FrameType.HELLO)));
        assertThat(unknown.reason()).isEqualTo(Reason.NO_TRANSPORT);
        assertThat(unknown.text()).contains("77");
        try (SharedMemory blank = SharedMemory.create("blank", 1 << 20)) {
            assertThat(refusalOfShm(blank.peerPath().toString())).contains("SHM", "no connection page");
            ConnectionPage page = ConnectionPage.create(blank.memory(), 8, 9);
            assertThat(page.isOpen()).isFalse();
            assertThat(refusalOfShm(blank.peerPath().toString())).contains("SHM", "another token");
        }
        assertThat(refusalOfShm("/etc/passwd")).contains("SHM", "/etc/passwd is not memory of process");
        assertThat(refusalOfShm("/proc/" + ProcessHandle.current().pid() + "/fd/999999"))
                .contains("no file");
    }

    private String refusalOfShm(String path) throws Exception {
        byte[] bytes = path.getBytes(UTF_8);
        ByteBuffer parameters = ByteBuffer.allocate(200).order(ByteOrder.LITTLE_ENDIAN);
        parameters.putLong(1).putLong(2).putInt(3).putLong(8192);
        parameters.putShort((short) bytes.length).put(bytes);
        parameters.putShort((short) bytes.length).put(bytes);
        Rejection rejection = sendAndReadRefusal(
                bytesOf(hello(TransportKind.SHM.code, parameters.array()).toFrame(FrameType.HELLO)));
        assertThat(rejection.reason()).isEqualTo(Reason.NO_TRANSPORT);
        return rejection.text();
    }

    @Test
    void whoeverDawdlesIsRefusedInTime() throws Exception {
        byte[] bytes = goodHello();
        try (Socket socket =
                new Socket(listener.address().getAddress(), listener.address().getPort())) {
            socket.setSoTimeout(20_000);
            long start = System.nanoTime();
            socket.getOutputStream().write(bytes, 0, bytes.length - 1);
            assertThat(readRefusal(socket).text()).contains("no complete HELLO");
            assertThat(System.nanoTime() - start).isBetween(HANDSHAKE_NANOS - 5_000_000, 20_000_000_000L);
        }
    }

    @Test
    void helloInSinglePiecesWorksAndAHangUpDoesNoHarm() throws Exception {
        try (Socket socket =
                new Socket(listener.address().getAddress(), listener.address().getPort())) {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(20_000);
            byte[] bytes = bytesOf(hello(77, new byte[0]).toFrame(FrameType.HELLO));
            for (byte one : bytes) {
                socket.getOutputStream().write(one);
            }
            assertThat(readRefusal(socket).reason()).isEqualTo(Reason.NO_TRANSPORT);
        }
        try (Socket socket =
                new Socket(listener.address().getAddress(), listener.address().getPort())) {
            socket.getOutputStream().write(goodHello(), 0, 20);
        }
    }

    private interface Stranger {
        void answer(Socket guest) throws IOException;
    }

    private FabricException connectTo(Stranger stranger, long nanos) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread thread = Thread.ofPlatform().daemon().start(() -> {
                try (Socket guest = server.accept()) {
                    stranger.answer(guest);
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            InetSocketAddress address = new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
            ReceiveQueue ownQueue = fabric.createReceiveQueue();
            FabricException[] caught = new FabricException[1];
            assertThatThrownBy(() -> fabric.connect(
                            address, TransportChoice.SHM, new byte[0], ownQueue, fabric.nanoTime() + nanos))
                    .isInstanceOfSatisfying(FabricException.class, e -> caught[0] = e);
            ownQueue.close();
            thread.join();
            return caught[0];
        }
    }

    @Test
    void strangersAreRecognised() throws Exception {
        long patience = TimeUnit.SECONDS.toNanos(20);
        FabricException closed = connectTo(guest -> guest.getInputStream().readNBytes(16), patience);
        assertThat(closed.reason()).isIn(Reason.INCOMPATIBLE, Reason.UNREACHABLE);
        FabricException garbage = connectTo(
                guest -> {
                    guest.getInputStream().readNBytes(16);
                    guest.getOutputStream().write("220 smtp.example ESMTP ready\r\n".getBytes(UTF_8));
                    guest.shutdownOutput();
                    guest.getInputStream().readAllBytes();
                },
                patience);
        assertThat(garbage.reason()).isEqualTo(Reason.INCOMPATIBLE);
        FabricException silent = connectTo(guest -> guest.getInputStream().readAllBytes(), 200_000_000L);
        assertThat(silent.reason()).isEqualTo(Reason.TIMEOUT);
    }

    @Test
    void frameIsAsDocumented() throws Exception {
        byte[] bytes =
                bytesOf(Frame.create(FrameType.REVOKE).putInt(5).putInt(0).putLong(0x0102_0304_0506_0708L));
        assertThat(bytes).hasSize(32);
        assertThat(new String(bytes, 0, 4, UTF_8)).isEqualTo("OFAB");
        assertThat(java.util.HexFormat.of().formatHex(bytes, 4, 12)).isEqualTo("0100050010000000");
        assertThat(java.util.HexFormat.of().formatHex(bytes, 16, 32)).isEqualTo("05000000000000000807060504030201");
    }
}
