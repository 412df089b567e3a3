package org.octofs.rpc.fabric.shm;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricException.Reason;
import org.octofs.rpc.fabric.handshake.Transport;
import org.octofs.rpc.fabric.ring.ArrivalRingLayout;

/**
 * What each half of a shm connection tells the other in the handshake. Little-endian: token u64 u64, queue index u32,
 * ring bytes u64, page path {length u16, bytes}, ring path {length u16, bytes}.
 *
 * @param tokenHigh first half of the random token that the page must carry
 * @param tokenLow second half
 * @param queueIndex the sender's index at its queue, which the receiver puts into its arrivals
 * @param ringBytes size of the sender's ring
 * @param page where the sender's connection page can be opened
 * @param ring where the sender's arrival ring can be opened
 */
record ShmParameters(long tokenHigh, long tokenLow, int queueIndex, long ringBytes, Path page, Path ring) {
    byte[] encode() {
        ByteBuffer buffer = ByteBuffer.allocate(Transport.PARAMETERS_BYTES_MAX).order(ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(tokenHigh).putLong(tokenLow).putInt(queueIndex).putLong(ringBytes);
        putPath(buffer, page);
        putPath(buffer, ring);
        byte[] bytes = new byte[buffer.position()];
        buffer.get(0, bytes);
        return bytes;
    }

    static ShmParameters decode(byte[] bytes) throws FabricException {
        try {
            ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            ShmParameters parameters = new ShmParameters(
                    buffer.getLong(),
                    buffer.getLong(),
                    buffer.getInt(),
                    buffer.getLong(),
                    getPath(buffer),
                    getPath(buffer));
            if (parameters.queueIndex < 0 || parameters.queueIndex >= ArrivalRingLayout.CONNECTION_INDEX_LIMIT) {
                throw new FabricException(Reason.INCOMPATIBLE, "queue index " + parameters.queueIndex);
            }
            if (parameters.ringBytes < ArrivalRingLayout.sizeBytes(2)
                    || parameters.ringBytes
                            > ArrivalRingLayout.sizeBytes(
                                    org.octofs.rpc.fabric.FabricConfig.RECEIVE_QUEUE_ENTRIES_MAX)) {
                throw new FabricException(Reason.INCOMPATIBLE, "arrival ring of " + parameters.ringBytes + " bytes");
            }
            return parameters;
        } catch (BufferUnderflowException | InvalidPathException e) {
            throw new FabricException(Reason.INCOMPATIBLE, "the parameters are too short or no paths", e);
        }
    }

    private static void putPath(ByteBuffer buffer, Path path) {
        byte[] bytes = path.toString().getBytes(UTF_8);
        buffer.putShort((short) bytes.length).put(bytes);
    }

    private static Path getPath(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.getShort() & 0xFFFF];
        buffer.get(bytes);
        return Path.of(new String(bytes, UTF_8));
    }
}
