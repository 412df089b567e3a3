package org.octofs.rpc.rpc;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * Private data of a connect and of its accept. Little-endian.
 *
 * <pre>
 * connect: magic u32 | version u16 | slots u16 | slot bytes u32 | user bytes u32 | client id u64 | rkey of the reply slots u64 | user's hello
 * accept:  magic u32 | version u16 | session u16 | slot bytes u32 | user bytes u32 | map epoch u32 | 0 u32 | rkey of the request slots u64 | user's answer
 * </pre>
 *
 * Slot i of either side begins at i times slot bytes in the region of the rkey, until it is moved by a control message.
 */
final class HelloLayout {
    /** "OFR1", as a little-endian number. */
    static final int MAGIC = 0x3152_464F;

    static final int VERSION = 1;

    static final int MAGIC_OFFSET = 0;
    static final int VERSION_OFFSET = MAGIC_OFFSET + Integer.BYTES;
    static final int SLOTS_OR_SESSION_OFFSET = VERSION_OFFSET + Short.BYTES;
    static final int SLOT_BYTES_OFFSET = SLOTS_OR_SESSION_OFFSET + Short.BYTES;
    static final int USER_BYTES_OFFSET = SLOT_BYTES_OFFSET + Integer.BYTES;
    static final int CLIENT_OR_EPOCH_OFFSET = USER_BYTES_OFFSET + Integer.BYTES;
    static final int RKEY_OFFSET = CLIENT_OR_EPOCH_OFFSET + Long.BYTES;
    static final int USER_OFFSET = RKEY_OFFSET + Long.BYTES;

    static {
        if (USER_OFFSET + RpcLimits.HELLO_BYTES_MAX > Fabric.PRIVATE_DATA_BYTES_MAX) {
            throw new IllegalStateException("a hello does not fit the fabric's private data");
        }
    }

    private HelloLayout() {}

    /** The connecting side's hello. */
    @SuppressWarnings("ArrayRecordComponent") // lives for one handshake
    record Hello(int slotCount, int slotBytes, long clientId, long replyRkey, byte[] user) {
        byte[] encode() {
            return HelloLayout.encode(slotCount, slotBytes, clientId, replyRkey, user);
        }

        static Hello decode(byte[] bytes) {
            ByteBuffer in = check(bytes);
            int slotCount = in.getShort(SLOTS_OR_SESSION_OFFSET) & 0xFFFF;
            if (slotCount < 1 || slotCount > RpcLimits.SLOTS_MAX) {
                throw new ProtocolException("hello asks for " + slotCount + " slots");
            }
            return new Hello(
                    slotCount,
                    readSlotBytes(in),
                    in.getLong(CLIENT_OR_EPOCH_OFFSET),
                    in.getLong(RKEY_OFFSET),
                    readUser(bytes, in));
        }
    }

    /** The accepting side's answer. */
    @SuppressWarnings("ArrayRecordComponent") // lives for one handshake
    record HelloReply(int sessionIndex, int slotBytes, int mapEpoch, long requestRkey, byte[] user) {
        byte[] encode() {
            return HelloLayout.encode(sessionIndex, slotBytes, mapEpoch & 0xFFFF_FFFFL, requestRkey, user);
        }

        static HelloReply decode(byte[] bytes) {
            ByteBuffer in = check(bytes);
            return new HelloReply(
                    in.getShort(SLOTS_OR_SESSION_OFFSET) & 0xFFFF,
                    readSlotBytes(in),
                    (int) in.getLong(CLIENT_OR_EPOCH_OFFSET),
                    in.getLong(RKEY_OFFSET),
                    readUser(bytes, in));
        }
    }

    private static byte[] encode(int slotsOrSession, int slotBytes, long clientOrEpoch, long rkey, byte[] user) {
        ByteBuffer out = ByteBuffer.allocate(USER_OFFSET + user.length).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(MAGIC)
                .putShort((short) VERSION)
                .putShort((short) slotsOrSession)
                .putInt(slotBytes)
                .putInt(user.length)
                .putLong(clientOrEpoch)
                .putLong(rkey)
                .put(user);
        return out.array();
    }

    private static ByteBuffer check(byte[] bytes) {
        if (bytes.length < USER_OFFSET) {
            throw new ProtocolException("a hello of " + bytes.length + " bytes is too short");
        }
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (in.getInt(MAGIC_OFFSET) != MAGIC) {
            throw new ProtocolException("the peer does not speak the RPC of OctoFS");
        }
        int version = in.getShort(VERSION_OFFSET) & 0xFFFF;
        if (version != VERSION) {
            throw new ProtocolException("the peer speaks version " + version + " of the RPC and we speak " + VERSION
                    + "; run the same release on both sides");
        }
        return in;
    }

    private static int readSlotBytes(ByteBuffer in) {
        int slotBytes = in.getInt(SLOT_BYTES_OFFSET);
        if (Integer.bitCount(slotBytes) != 1
                || slotBytes < RpcLimits.SLOT_BYTES_MIN
                || slotBytes > RpcLimits.SLOT_BYTES_MAX) {
            throw new ProtocolException("hello with slots of " + slotBytes + " bytes");
        }
        return slotBytes;
    }

    private static byte[] readUser(byte[] bytes, ByteBuffer in) {
        int userBytes = in.getInt(USER_BYTES_OFFSET);
        if (userBytes < 0 || userBytes != bytes.length - USER_OFFSET) {
            throw new ProtocolException(
                    "hello announces " + userBytes + " bytes but brings " + (bytes.length - USER_OFFSET));
        }
        byte[] user = new byte[userBytes];
        System.arraycopy(bytes, USER_OFFSET, user, 0, userBytes);
        return user;
    }
}
