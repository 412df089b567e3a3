package org.octofs.rpc.fabric.verbs;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricException.Reason;
import org.octofs.rpc.fabric.handshake.Transport;

/**
 * What the accepting half of a verbs connection tells the other in the handshake. Little-endian: version u16, port u16, token
 * u64 u64, address count u8, per address {length u8, bytes}. The connecting half tells its version only.
 *
 * @param port where the connection manager listens
 * @param tokenHigh first half of the random token that ties the queue pair to the handshake
 * @param tokenLow second half
 * @param addresses of the accepting host's RDMA devices, at most {@link #ADDRESS_COUNT_MAX}
 */
record VerbsParameters(int port, long tokenHigh, long tokenLow, List<InetAddress> addresses) {
    static final int ADDRESS_COUNT_MAX = 16;
    static final int VERSION = 1;

    /** Bytes of {@link #privateData}; the connection manager carries 56. */
    static final int PRIVATE_DATA_BYTES = 2 * Integer.BYTES + 2 * Long.BYTES;

    /** "OVRB". */
    private static final int MAGIC = 0x4252_564F;

    static byte[] ofCaller() {
        return new byte[] {VERSION, 0};
    }

    static void checkCaller(byte[] bytes) throws FabricException {
        if (bytes.length < Short.BYTES || bytes[0] != VERSION || bytes[1] != 0) {
            throw new FabricException(Reason.INCOMPATIBLE, "another version of the verbs transport");
        }
    }

    byte[] encode() {
        ByteBuffer buffer = ByteBuffer.allocate(Transport.PARAMETERS_BYTES_MAX).order(ByteOrder.LITTLE_ENDIAN);
        buffer.putShort((short) VERSION)
                .putShort((short) port)
                .putLong(tokenHigh)
                .putLong(tokenLow);
        buffer.put((byte) addresses.size());
        for (InetAddress address : addresses) {
            byte[] bytes = address.getAddress();
            buffer.put((byte) bytes.length).put(bytes);
        }
        byte[] bytes = new byte[buffer.position()];
        buffer.get(0, bytes);
        return bytes;
    }

    static VerbsParameters decode(byte[] bytes) throws FabricException {
        try {
            ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            if (buffer.getShort() != VERSION) {
                throw new FabricException(Reason.INCOMPATIBLE, "another version of the verbs transport");
            }
            int port = Short.toUnsignedInt(buffer.getShort());
            long tokenHigh = buffer.getLong();
            long tokenLow = buffer.getLong();
            int count = Byte.toUnsignedInt(buffer.get());
            if (count > ADDRESS_COUNT_MAX) {
                throw new FabricException(Reason.INCOMPATIBLE, count + " addresses");
            }
            List<InetAddress> addresses = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                byte[] address = new byte[Byte.toUnsignedInt(buffer.get())];
                buffer.get(address);
                addresses.add(InetAddress.getByAddress(address));
            }
            return new VerbsParameters(port, tokenHigh, tokenLow, addresses);
        } catch (BufferUnderflowException | UnknownHostException e) {
            throw new FabricException(Reason.INCOMPATIBLE, "the parameters are too short or no addresses", e);
        }
    }

    /** What the connecting side sends with its connection request: magic u32, version u32, token u64 u64. */
    byte[] privateData() {
        return ByteBuffer.allocate(PRIVATE_DATA_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(MAGIC)
                .putInt(VERSION)
                .putLong(tokenHigh)
                .putLong(tokenLow)
                .array();
    }

    /** Which handshake a connection request belongs to; null if it is nobody's. */
    static Token tokenOf(byte[] privateData) {
        if (privateData.length < PRIVATE_DATA_BYTES) {
            return null;
        }
        ByteBuffer buffer = ByteBuffer.wrap(privateData).order(ByteOrder.LITTLE_ENDIAN);
        if (buffer.getInt() != MAGIC || buffer.getInt() != VERSION) {
            return null;
        }
        return new Token(buffer.getLong(), buffer.getLong());
    }

    /** A random number that nobody guesses. */
    record Token(long high, long low) {}
}
