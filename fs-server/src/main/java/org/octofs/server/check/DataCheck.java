package org.octofs.server.check;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32C;
import org.octofs.rpc.protocol.BlockEntryLayout;
import org.octofs.rpc.protocol.BlockLocation;

/** Compares blocks with their checksums, if that is wanted. Confined to the check. */
final class DataCheck {
    private static final long WINDOW_BYTES = 1L << 30;

    private static final int BLOCKS_PER_REPORT = 4096;

    private final CheckOptions options;
    private final long total;
    private final Findings findings;
    private final PathNames paths;
    private final CRC32C crc = new CRC32C();
    private final Map<PoolView, ByteBuffer[]> windows = new HashMap<>();
    private long checked;

    /** @param total blocks that files say they have, for the progress */
    DataCheck(CheckOptions options, long total, Findings findings, PathNames paths) {
        this.options = options;
        this.total = total;
        this.findings = findings;
        this.paths = paths;
    }

    /** Blocks compared. */
    long checked() {
        return checked;
    }

    /** A file has a block. */
    void block(PoolView there, PoolView home, long entryOffset, long location, long ino, long fileBlock) {
        if (!options.data() || BlockLocation.isUnwritten(location)) {
            return;
        }
        if (++checked % BLOCKS_PER_REPORT == 0) {
            options.progress().advance("comparing data with its checksums", Math.min(checked, total), total);
        }
        int expected = home.readInt(entryOffset + BlockEntryLayout.CHECKSUM_OFFSET);
        if (checksum(there, location) != expected) {
            long from = fileBlock << BlockLocation.BLOCK_SHIFT;
            paths.later(() -> findings.error(
                    there.node(),
                    ino,
                    BlockLocation.poolOffset(location),
                    "the data of " + paths.name(ino) + " at bytes " + from + " to "
                            + (from + BlockLocation.BLOCK_BYTES - 1) + " do not match their checksum",
                    "they are damaged and cannot be read; restore the file, or overwrite these bytes"));
        }
    }

    /** Checksum of the data at a location whose pool is here. */
    int checksum(PoolView there, long location) {
        long offset = BlockLocation.poolOffset(location);
        ByteBuffer window = window(there, (int) (offset / WINDOW_BYTES));
        int at = (int) (offset % WINDOW_BYTES);
        window.limit(at + BlockLocation.BLOCK_BYTES).position(at);
        crc.reset();
        crc.update(window);
        return (int) crc.getValue();
    }

    /** A buffer over a part of a pool: one each, since making one for every block would cost more than the checksum. */
    private ByteBuffer window(PoolView pool, int index) {
        ByteBuffer[] all = windows.computeIfAbsent(
                pool, p -> new ByteBuffer[(int) ((p.memory().byteSize() + WINDOW_BYTES - 1) / WINDOW_BYTES)]);
        if (all[index] == null) {
            long from = index * WINDOW_BYTES;
            all[index] = pool.memory()
                    .asSlice(from, Math.min(WINDOW_BYTES, pool.memory().byteSize() - from))
                    .asByteBuffer();
        }
        return all[index];
    }
}
