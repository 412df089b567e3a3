package org.octofs.rpc.cluster;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * What whoever connects to a server says about itself, as the user's hello of the RPC. Little-endian, 40 bytes:
 *
 * <pre>
 * | magic u32 | version u16 | role u16 | node u32 | 0 u32 | incarnation u64 | cluster id 16 bytes, most significant first |
 * </pre>
 *
 * @param role {@link #CLIENT} or {@link #SERVER}
 * @param nodeId of a server; 0 for a client
 * @param incarnation of a server; 0 for a client
 * @param clusterId the cluster that the sender believes to talk to
 */
public record ClusterHello(int role, int nodeId, long incarnation, UUID clusterId) {
    /** A process that uses the file system. */
    public static final int CLIENT = 0;

    /** Another server of the cluster. */
    public static final int SERVER = 1;

    /** Bytes of an encoded hello. */
    public static final int SIZE_BYTES = 40;

    private static final int MAGIC = 0x4C48434F; // "OCHL"
    private static final short VERSION = 3;

    /** A client's hello. */
    public static ClusterHello client(UUID clusterId) {
        return new ClusterHello(CLIENT, 0, 0, clusterId);
    }

    /** A server's hello to another server. */
    public static ClusterHello server(int nodeId, long incarnation, UUID clusterId) {
        return new ClusterHello(SERVER, nodeId, incarnation, clusterId);
    }

    /** The bytes to send. */
    public byte[] encode() {
        return ByteBuffer.allocate(SIZE_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(MAGIC)
                .putShort(VERSION)
                .putShort((short) role)
                .putInt(nodeId)
                .putInt(0)
                .putLong(incarnation)
                .order(ByteOrder.BIG_ENDIAN)
                .putLong(clusterId.getMostSignificantBits())
                .putLong(clusterId.getLeastSignificantBits())
                .array();
    }

    /**
     * The hello in {@code bytes}.
     *
     * @throws ProtocolException if it is none, or one of another version
     */
    public static ClusterHello decode(byte[] bytes) {
        if (bytes.length != SIZE_BYTES) {
            throw new ProtocolException("the hello has " + bytes.length + " bytes where " + SIZE_BYTES
                    + " belong; is this an OctoFS client?");
        }
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int magic = in.getInt();
        short version = in.getShort();
        if (magic != MAGIC || version != VERSION) {
            throw new ProtocolException("the hello is of another protocol or version (" + version + ", ours is "
                    + VERSION + "); run the same release everywhere");
        }
        int role = in.getShort();
        int nodeId = in.getInt();
        in.getInt();
        long incarnation = in.getLong();
        in.order(ByteOrder.BIG_ENDIAN);
        return new ClusterHello(role, nodeId, incarnation, new UUID(in.getLong(), in.getLong()));
    }
}
