package org.octofs.pmem.pool;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import org.octofs.pmem.layout.SuperblockLayout;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.pmem.log.RedoLog;
import org.octofs.pmem.medium.Media;
import org.octofs.pmem.medium.OpenMode;
import org.octofs.pmem.medium.PmemMedium;
import org.octofs.pmem.medium.Progress;

/**
 * Makes pools.
 * Durability: the superblocks are written last, so a pool whose format was interrupted is no pool; when a method returns, all
 *             of it is durable.
 */
public final class PoolFormatter {
    private static final long ZERO_PIECE_BYTES = 16L << 20;

    private PoolFormatter() {}

    /**
     * Creates and formats a pool file. On failure no file is left behind. A DAX device is formatted as it is, all of it,
     * whatever size is asked for.
     *
     * @return size of the pool in bytes
     * @throws FileAlreadyExistsException when the file exists and may not be replaced
     * @throws org.octofs.pmem.PoolBusyException when the file to be replaced is open elsewhere
     * @throws org.octofs.pmem.NoRoomForPoolException when the file system is too full
     * @throws IllegalArgumentException when the size or the options do not fit together
     */
    public static long format(FormatRequest request) throws IOException {
        if (Media.isDevice(request.path())) {
            return formatDevice(request);
        }
        // Before anything is touched: bad options must not cost an existing pool.
        PoolGeometry geometry = PoolGeometry.forPool(request.sizeBytes(), request.geometry());
        if (Files.exists(request.path())) {
            if (!request.replace()) {
                throw new FileAlreadyExistsException(
                        request.path().toString(),
                        null,
                        "it exists already; remove it, or ask for it to be replaced, if what it holds is not needed");
            }
            Media.remove(request.path(), geometry.poolSizeBytes());
        }
        boolean done = false;
        try (PmemMedium medium =
                Media.create(request.path(), geometry.poolSizeBytes(), request.kind(), request.medium())) {
            // A new file reads as zeros, and its allocation is in the file system already.
            writeStructures(medium, geometry, request.identity(), request.createdMillis());
            done = true;
        } finally {
            if (!done) {
                Files.deleteIfExists(request.path());
            }
        }
        return geometry.poolSizeBytes();
    }

    private static long formatDevice(FormatRequest request) throws IOException {
        try (PmemMedium medium = Media.open(request.path(), request.kind(), OpenMode.SERVE, request.medium())) {
            if (!request.replace() && hasContents(medium)) {
                throw new FileAlreadyExistsException(
                        request.path().toString(),
                        null,
                        "there is something on the device; ask for it to be replaced, if it is not needed");
            }
            format(
                    medium,
                    request.identity(),
                    request.geometry(),
                    request.createdMillis(),
                    request.medium().progress());
            return medium.sizeBytes();
        }
    }

    /** Where superblocks are, a blank device has zeros. */
    private static boolean hasContents(PmemMedium medium) {
        for (long at = 0; at < SuperblockLayout.ZONE_BYTES; at += Long.BYTES) {
            if (medium.memory().get(ValueLayout.JAVA_LONG, at) != 0) {
                return true;
            }
        }
        return false;
    }

    /** Formats a medium of any contents: everything but the data zone is zeroed first. The caller keeps the medium. */
    public static void format(
            PmemMedium medium, PoolIdentity identity, GeometryOptions options, long createdMillis, Progress progress) {
        PoolGeometry geometry = PoolGeometry.forPool(medium.sizeBytes(), options);
        if (geometry.poolSizeBytes() != medium.sizeBytes()) {
            throw new IllegalArgumentException("the size of a pool is a multiple of 4 KiB, not " + medium.sizeBytes());
        }
        Zone metadata = geometry.zone(ZoneKind.METADATA);
        long zeroed = 0;
        for (long end : new long[] {SuperblockLayout.ZONE_BYTES, metadata.endOffset()}) {
            while (zeroed < end) {
                long length = Math.min(ZERO_PIECE_BYTES, end - zeroed);
                medium.fill(zeroed, length, (byte) 0);
                medium.flush(zeroed, length);
                zeroed += length;
                progress.advance(zeroed, metadata.endOffset());
            }
            // Fence, twice: old superblocks must be gone before the zones that they lead to, and everything old before
            // there are new ones.
            medium.fence();
        }
        writeStructures(medium, geometry, identity, createdMillis);
    }

    private static void writeStructures(
            PmemMedium medium, PoolGeometry geometry, PoolIdentity identity, long createdMillis) {
        RedoLog.format(medium, geometry.zone(ZoneKind.REDO_LOG));
        SuperblockPair.format(medium, Superblock.initial(identity, geometry, createdMillis));
    }
}
