package org.octofs.rpc.fabric.shm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.function.IntFunction;
import org.octofs.rpc.fabric.Access;
import org.octofs.rpc.fabric.RemoteRegion;
import org.octofs.rpc.fabric.handshake.Frame;
import org.octofs.rpc.fabric.handshake.FrameType;
import org.octofs.rpc.fabric.handshake.HandshakeException;
import org.octofs.rpc.fabric.host.HostException;
import org.octofs.rpc.fabric.host.SharedMemory;
import org.octofs.rpc.fabric.transport.ConnectionPageLayout;
import org.octofs.rpc.fabric.transport.ExportedRegion;

/**
 * A region of the peer's, mapped here. Immutable; a new generation of the same region is a new object with the same
 * mapping.
 *
 * @param rkey key that it is reached by
 * @param accessBits what is granted; without REMOTE_WRITE the mapping is read-only
 * @param instance number of the region at its owner
 * @param arena owns the mapping
 * @param memory the mapping; null when it could not be made
 * @param problem why it could not be made
 */
record MappedRegion(long rkey, int accessBits, long instance, Arena arena, MemorySegment memory, String problem) {
    private static final int PATH_BYTES_MAX = 4096;

    static Frame grantFrame(ExportedRegion region, int accessBits) {
        return Frame.create(FrameType.GRANT)
                .putLong(region.rkey())
                .putInt(accessBits)
                .putInt(0)
                .putLong(region.lengthBytes())
                .putLong(region.fileOffset())
                .putLong(region.instance())
                .putText(String.valueOf(region.file()));
    }

    static Frame revokeFrame(ExportedRegion region) {
        return Frame.create(FrameType.REVOKE).putInt(region.index()).putInt(0).putLong(region.instance());
    }

    /**
     * Maps what a GRANT describes.
     *
     * @param before what each index has until now; a mapping of the same region is taken over
     */
    @SuppressWarnings("MustBeClosedChecker") // the result owns the arena
    static MappedRegion of(Frame grant, IntFunction<MappedRegion> before) throws HandshakeException {
        long rkey = grant.getLong();
        int accessBits = grant.getInt();
        int unusedReserved = grant.getInt();
        long length = grant.getLong();
        long fileOffset = grant.getLong();
        long instance = grant.getLong();
        Path file = Path.of(grant.getText(PATH_BYTES_MAX));
        grant.end();
        MappedRegion same = before.apply(indexOf(rkey));
        if (same != null
                && same.instance == instance
                && same.accessBits == accessBits
                && same.memory != null
                && same.memory.byteSize() == length) {
            return new MappedRegion(rkey, accessBits, instance, same.arena, same.memory, "");
        }
        Arena arena = Arena.ofShared();
        try {
            boolean writable = (accessBits & Access.REMOTE_WRITE.bit) != 0;
            MemorySegment memory = SharedMemory.map(file, fileOffset, length, writable, arena);
            return new MappedRegion(rkey, accessBits, instance, arena, memory, "");
        } catch (HostException | IllegalArgumentException e) {
            return new MappedRegion(rkey, accessBits, instance, arena, null, e.getMessage());
        }
    }

    static int indexOf(long rkey) throws HandshakeException {
        int index = RemoteRegion.indexOf(rkey);
        if (index < 0 || index >= ConnectionPageLayout.REGION_COUNT) {
            throw new HandshakeException("region index " + index);
        }
        return index;
    }

    void unmap() {
        SharedMemory.unmap(arena);
    }
}
