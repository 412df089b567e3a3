package org.octofs.rpc.rpc;

import static org.octofs.rpc.protocol.MessageHeaderLayout.CHECKSUM_OFFSET;
import static org.octofs.rpc.protocol.MessageHeaderLayout.CLIENT_ID_OFFSET;
import static org.octofs.rpc.protocol.MessageHeaderLayout.FLAGS_KNOWN;
import static org.octofs.rpc.protocol.MessageHeaderLayout.FLAGS_OFFSET;
import static org.octofs.rpc.protocol.MessageHeaderLayout.LENGTH_BYTES_OFFSET;
import static org.octofs.rpc.protocol.MessageHeaderLayout.MAP_EPOCH_OFFSET;
import static org.octofs.rpc.protocol.MessageHeaderLayout.OP_CODE_OFFSET;
import static org.octofs.rpc.protocol.MessageHeaderLayout.REQUEST_ID_OFFSET;
import static org.octofs.rpc.protocol.MessageHeaderLayout.RESERVED_LENGTH_BYTES;
import static org.octofs.rpc.protocol.MessageHeaderLayout.RESERVED_OFFSET;
import static org.octofs.rpc.protocol.MessageHeaderLayout.SIZE_BYTES;
import static org.octofs.rpc.protocol.MessageHeaderLayout.STATUS_OFFSET;
import static org.octofs.rpc.protocol.MessageHeaderLayout.TIME_LEFT_MILLIS_OFFSET;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The fields of one message header, and their way to and from a slot.
 *
 * <p>Reading copies the header out of the slot once and looks only at the copy: the peer can write to the slot at any
 * time, and a length that is checked and then read again could have changed in between.
 *
 * <p>Threading: confined to its owner. Allocates nothing after construction.
 */
final class MessageHeader {
    private static final VarHandle U16 = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle U32 = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle U64 = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final byte[] bytes = new byte[SIZE_BYTES];
    private final CRC32C crc = new CRC32C();

    int lengthBytes;
    int opCode;
    int flags;
    int mapEpoch;
    int status;
    long clientId;
    long requestId;
    int timeLeftMillis;

    /**
     * Takes the header of the message in a slot.
     *
     * @param slotBytes size of the slot, at least a header
     * @return null if the header can be a header, else what is wrong with it; the fields are then meaningless
     */
    String read(MemorySegment memory, long offset, int slotBytes) {
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, bytes, 0, SIZE_BYTES);
        crc.reset();
        crc.update(bytes, 0, CHECKSUM_OFFSET);
        if ((int) U32.get(bytes, CHECKSUM_OFFSET) != (int) crc.getValue()) {
            return "wrong header checksum";
        }
        lengthBytes = (int) U32.get(bytes, LENGTH_BYTES_OFFSET);
        opCode = (short) U16.get(bytes, OP_CODE_OFFSET) & 0xFFFF;
        flags = (short) U16.get(bytes, FLAGS_OFFSET) & 0xFFFF;
        mapEpoch = (int) U32.get(bytes, MAP_EPOCH_OFFSET);
        status = (int) U32.get(bytes, STATUS_OFFSET);
        clientId = (long) U64.get(bytes, CLIENT_ID_OFFSET);
        requestId = (long) U64.get(bytes, REQUEST_ID_OFFSET);
        timeLeftMillis = (int) U32.get(bytes, TIME_LEFT_MILLIS_OFFSET);
        if (lengthBytes < SIZE_BYTES || lengthBytes > slotBytes) {
            return "length outside of the slot";
        }
        if ((flags & ~FLAGS_KNOWN) != 0) {
            return "unknown flags";
        }
        if (requestId <= 0) {
            return "request id that is not positive";
        }
        for (int at = RESERVED_OFFSET; at < RESERVED_OFFSET + RESERVED_LENGTH_BYTES; at += Long.BYTES) {
            if ((long) U64.get(bytes, at) != 0) {
                return "reserved bytes that are not zero";
            }
        }
        return null;
    }

    /** Writes the fields, zero reserved bytes and the checksum. */
    void write(MemorySegment memory, long offset) {
        U32.set(bytes, LENGTH_BYTES_OFFSET, lengthBytes);
        U16.set(bytes, OP_CODE_OFFSET, (short) opCode);
        U16.set(bytes, FLAGS_OFFSET, (short) flags);
        U32.set(bytes, MAP_EPOCH_OFFSET, mapEpoch);
        U32.set(bytes, STATUS_OFFSET, status);
        U64.set(bytes, CLIENT_ID_OFFSET, clientId);
        U64.set(bytes, REQUEST_ID_OFFSET, requestId);
        U32.set(bytes, TIME_LEFT_MILLIS_OFFSET, timeLeftMillis);
        for (int at = RESERVED_OFFSET; at < RESERVED_OFFSET + RESERVED_LENGTH_BYTES; at += Long.BYTES) {
            U64.set(bytes, at, 0L);
        }
        crc.reset();
        crc.update(bytes, 0, CHECKSUM_OFFSET);
        U32.set(bytes, CHECKSUM_OFFSET, (int) crc.getValue());
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, offset, SIZE_BYTES);
    }
}
