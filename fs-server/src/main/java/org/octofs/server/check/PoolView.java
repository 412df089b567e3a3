package org.octofs.server.check;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.agrona.collections.LongHashSet;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.pmem.log.RedoLog;
import org.octofs.pmem.pool.PmemPool;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.server.namespace.DentryLayout;
import org.octofs.server.store.PageKind;

/**
 * The pool of one node, as the check reads and mends it.
 * Threading: confined to the check.
 * Ownership: borrows the pool.
 * Cost:      a byte per metadata page and a bit per data block.
 */
final class PoolView {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int SLOT_BITS = 5;

    private final PmemPool pool;
    private final int node;
    private final MemorySegment memory;
    private final long metadataOffset;
    private final long pageTableOffset;
    private final int pageCount;
    private final byte[] kinds;
    private final long firstBlock;
    private final long blockCount;
    private final long[] usedBlocks;
    private final byte[] scratch = new byte[PageKind.PAGE_BYTES];
    private final CRC32C crc = new CRC32C();
    private final LongHashSet lockedSlots = new LongHashSet(0);

    PoolView(PmemPool pool) {
        this.pool = pool;
        this.node = pool.nodeId();
        this.memory = pool.medium().memory();
        Zone metadata = pool.zone(ZoneKind.METADATA);
        metadataOffset = metadata.offset();
        pageTableOffset = pool.zone(ZoneKind.PAGE_TABLE).offset();
        pageCount = (int) Math.min(
                metadata.lengthBytes() / PageKind.PAGE_BYTES,
                pool.zone(ZoneKind.PAGE_TABLE).lengthBytes() / Long.BYTES);
        kinds = new byte[pageCount];
        Zone data = pool.zone(ZoneKind.DATA);
        firstBlock = data.offset() >>> BlockLocation.BLOCK_SHIFT;
        blockCount = data.lengthBytes() >>> BlockLocation.BLOCK_SHIFT;
        usedBlocks = new long[Math.toIntExact((blockCount + Long.SIZE - 1) / Long.SIZE)];
    }

    /** Forgets what a round has learned. */
    void beginRound() {
        Arrays.fill(kinds, (byte) PageKind.FREE);
        Arrays.fill(usedBlocks, 0);
    }

    PmemPool pool() {
        return pool;
    }

    RedoLog log() {
        return pool.redoLog();
    }

    int node() {
        return node;
    }

    MemorySegment memory() {
        return memory;
    }

    long readLong(long offset) {
        return memory.get(LONG, offset);
    }

    int readInt(long offset) {
        return memory.get(INT, offset);
    }

    /** CRC32C of at most 4096 bytes. Copies them: a buffer over the pool for each slot would cost more. */
    int checksum(long from, long to) {
        int length = (int) (to - from);
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, from, scratch, 0, length);
        crc.reset();
        crc.update(scratch, 0, length);
        return (int) crc.getValue();
    }

    /** The checksum that the inode in a slot should have. */
    int inodeChecksum(long slotOffset) {
        return checksum(slotOffset + InodeLayout.CHECKED_FROM, slotOffset + InodeLayout.SIZE_BYTES);
    }

    int readShort(long offset) {
        return Short.toUnsignedInt(memory.get(SHORT, offset));
    }

    Zone zone(ZoneKind kind) {
        return pool.zone(kind);
    }

    // ------------------------------------------------------------------------------------------------ pages and slots

    int pageCount() {
        return pageCount;
    }

    long pageOffset(int page) {
        return metadataOffset + (long) page * PageKind.PAGE_BYTES;
    }

    /** The page at a pool offset; -1 if no page begins there. */
    int pageAt(long offset) {
        long distance = offset - metadataOffset;
        return distance < 0 || distance % PageKind.PAGE_BYTES != 0 || distance / PageKind.PAGE_BYTES >= pageCount
                ? -1
                : (int) (distance / PageKind.PAGE_BYTES);
    }

    long pageWordOffset(int page) {
        return pageTableOffset + (long) page * Long.BYTES;
    }

    /** What a page is, as far as this round knows; {@link PageKind#REACHED} once something refers to it. */
    int kind(int page) {
        return kinds[page];
    }

    void kind(int page, int kind) {
        kinds[page] = (byte) kind;
    }

    /** Whether a slot of that kind of page begins at a pool offset. */
    boolean isSlot(long offset, boolean inode) {
        long distance = offset - metadataOffset;
        if (distance < 0 || distance / PageKind.PAGE_BYTES >= pageCount) {
            return false;
        }
        int kind = kinds[(int) (distance / PageKind.PAGE_BYTES)];
        boolean right = inode ? kind == PageKind.INODE : kind == PageKind.DENTRY_SMALL || kind == PageKind.DENTRY_LARGE;
        int bytes = PageKind.slotBytes(kind);
        int inPage = (int) (distance % PageKind.PAGE_BYTES);
        return right && inPage % bytes == 0 && inPage / bytes < PageKind.slotCount(kind);
    }

    long slotOffset(int page, int slot) {
        return pageOffset(page) + (long) slot * PageKind.slotBytes(kinds[page]);
    }

    /** A name for a slot that fits an int, never 0. */
    static int slotReference(int page, int slot) {
        return (page << SLOT_BITS | slot) + 1;
    }

    long slotOffset(int reference) {
        return slotOffset((reference - 1) >>> SLOT_BITS, (reference - 1) & ((1 << SLOT_BITS) - 1));
    }

    /** Slots that a transaction holds whose outcome cannot be known. */
    LongHashSet lockedSlots() {
        return lockedSlots;
    }

    boolean isLocked(long slotOffset) {
        return !lockedSlots.isEmpty() && lockedSlots.contains(slotOffset);
    }

    String dentryName(long slotOffset) {
        byte[] bytes = memory.asSlice(
                        slotOffset + DentryLayout.NAME_OFFSET, readShort(slotOffset + DentryLayout.NAME_LENGTH_OFFSET))
                .toArray(ValueLayout.JAVA_BYTE);
        StringBuilder text = new StringBuilder();
        new String(bytes, StandardCharsets.UTF_8).codePoints().forEach(c -> {
            if (Character.isISOControl(c)) {
                text.append("\\x%02x".formatted(c));
            } else {
                text.appendCodePoint(c);
            }
        });
        return text.toString();
    }

    long inodeLong(long slotOffset, int field) {
        return readLong(slotOffset + field);
    }

    int mode(long slotOffset) {
        return readInt(slotOffset + InodeLayout.MODE_OFFSET);
    }

    // ------------------------------------------------------------------------------------------------ blocks

    /** Whether a block number (pool offset / 4096) lies in the data zone. */
    boolean isDataBlock(long block) {
        return block >= firstBlock && block < firstBlock + blockCount;
    }

    long firstBlock() {
        return firstBlock;
    }

    long blockCount() {
        return blockCount;
    }

    boolean isUsed(long block) {
        long bit = block - firstBlock;
        return (usedBlocks[(int) (bit >>> 6)] & 1L << bit) != 0;
    }

    /** Marks a block as used; false if it was already. */
    boolean use(long block) {
        long bit = block - firstBlock;
        int word = (int) (bit >>> 6);
        boolean fresh = (usedBlocks[word] & 1L << bit) == 0;
        usedBlocks[word] |= 1L << bit;
        return fresh;
    }

    int segmentOf(long block) {
        return (int) (((block - firstBlock) << BlockLocation.BLOCK_SHIFT) / pool.segmentSizeBytes());
    }

    /** Shard that owns the segment of a block of the data zone; negative if nobody does. */
    int segmentOwner(long block) {
        return owner(segmentOf(block));
    }

    int owner(int segment) {
        // The table's own reader refuses words that make no sense; they have been reported already.
        return readInt(segmentWordOffset(segment)) - 1;
    }

    long segmentWordOffset(int segment) {
        return zone(ZoneKind.SEGMENT_TABLE).offset() + (long) segment * Long.BYTES;
    }

    int segmentCount() {
        return pool.segmentTable().segmentCount();
    }
}
