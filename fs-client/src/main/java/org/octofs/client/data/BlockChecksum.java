package org.octofs.client.data;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
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
     * one is the only allocation here.
     *
     * <p>Native memory is viewed without its scope: locking a shared scope for each block is a locked instruction, which waits
     * for all non-temporal stores before it, and those are just what the checksum is to run beside. The caller keeps the
     * memory alive for the call.
     */
    int of(MemorySegment memory, long offset) {
        if (!isViewed(memory)) {
            view = memory.isNative()
                    ? MemorySegment.ofAddress(memory.address())
                            .reinterpret(memory.byteSize())
                            .asByteBuffer()
                    : memory.asByteBuffer();
            viewed = memory;
        }
        int from = (int) offset;
        view.limit(from + BLOCK).position(from);
        crc.reset();
        try {
            crc.update(view);
        } finally {
            Reference.reachabilityFence(memory);
        }
        return (int) crc.getValue();
    }

    /** Equal segments lie at the same address, but may be of memory that was freed and allocated again. */
    private boolean isViewed(MemorySegment memory) {
        return memory.equals(viewed) && memory.scope().equals(viewed.scope());
    }
}
