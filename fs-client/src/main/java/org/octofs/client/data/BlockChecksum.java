package org.octofs.client.data;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.octofs.rpc.protocol.BlockLocation;

/** CRC32C of whole blocks in memory. Not thread-safe. */
final class BlockChecksum {
    private static final int BLOCK = BlockLocation.BLOCK_BYTES;

    private final CRC32C crc = new CRC32C();
    private MemorySegment viewed = MemorySegment.NULL;
    private ByteBuffer view;

    /**
     * The checksum of the block at {@code offset}. Callers use the same few segments again and again; making a view of
     * one is the only allocation here. Segments are equal if they are at the same address, even if the memory was freed
     * and allocated again meanwhile: the view of the former must not be used then.
     */
    int of(MemorySegment memory, long offset) {
        if (!(memory.equals(viewed) && memory.scope().equals(viewed.scope()))) {
            view = memory.asByteBuffer();
            viewed = memory;
        }
        int from = (int) offset;
        view.limit(from + BLOCK).position(from);
        crc.reset();
        crc.update(view);
        return (int) crc.getValue();
    }
}
