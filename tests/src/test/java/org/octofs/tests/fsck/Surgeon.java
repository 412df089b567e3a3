package org.octofs.tests.fsck;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.pmem.log.ReplayVisitor;
import org.octofs.pmem.medium.MediumKind;
import org.octofs.pmem.medium.MediumOptions;
import org.octofs.pmem.medium.PmemMedium;
import org.octofs.pmem.pool.PmemPool;
import org.octofs.pmem.pool.PoolExpectation;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.server.namespace.DentryLayout;
import org.octofs.server.store.PageKind;

/** Finds things in a pool on media and changes them behind the file system's back. The log has been replayed before. */
public final class Surgeon implements AutoCloseable {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final PmemPool pool;
    private final MemorySegment memory;

    Surgeon(Path path) throws IOException {
        this(PmemPool.open(
                path,
                MediumKind.MAPPED,
                PoolExpectation.ANY,
                MediumOptions.defaults().withPrefault(false)));
    }

    /** Opens the pool on a medium, which goes with this. */
    public Surgeon(PmemMedium medium) throws IOException {
        this(PmemPool.open(medium, PoolExpectation.ANY));
    }

    private Surgeon(PmemPool pool) {
        this.pool = pool;
        pool.redoLog().replay(ReplayVisitor.NONE);
        memory = pool.medium().memory();
    }

    public Zone zone(ZoneKind kind) {
        return pool.zone(kind);
    }

    public PmemPool pool() {
        return pool;
    }

    public long getLong(long at) {
        return memory.get(LONG, at);
    }

    public int getInt(long at) {
        return memory.get(INT, at);
    }

    public void putLong(long at, long value) {
        memory.set(LONG, at, value);
    }

    public void putInt(long at, int value) {
        memory.set(INT, at, value);
    }

    /** Turns one bit over. */
    public void flip(long at) {
        memory.set(ValueLayout.JAVA_BYTE, at, (byte) (memory.get(ValueLayout.JAVA_BYTE, at) ^ 0x10));
    }

    MemorySegment memory() {
        return memory;
    }

    private interface Slots {
        boolean is(long at);
    }

    private long find(int kind, Slots wanted) {
        Zone metadata = zone(ZoneKind.METADATA);
        long table = zone(ZoneKind.PAGE_TABLE).offset();
        for (long page = 0; page < metadata.lengthBytes() / PageKind.PAGE_BYTES; page++) {
            if (getLong(table + page * Long.BYTES) == kind) {
                for (int slot = 0; slot < PageKind.slotCount(kind); slot++) {
                    long at = metadata.offset() + page * PageKind.PAGE_BYTES + (long) slot * PageKind.slotBytes(kind);
                    if (wanted.is(at)) {
                        return at;
                    }
                }
            }
        }
        throw new AssertionError("not found in " + pool.medium().path());
    }

    /** Slot of an inode. */
    public long inode(long ino) {
        return find(
                PageKind.INODE,
                at -> getInt(at + InodeLayout.MAGIC_OFFSET) == InodeLayout.MAGIC
                        && getLong(at + InodeLayout.INO_OFFSET) == ino);
    }

    /** A free slot of a kind of page. */
    long freeSlot(int kind) {
        int magic = kind == PageKind.INODE ? InodeLayout.MAGIC_OFFSET : DentryLayout.MAGIC_OFFSET;
        return find(kind, at -> getInt(at + magic) == 0);
    }

    /** Slot of an entry of a directory. */
    public long dentry(long parent, String name) {
        byte[] bytes = FilledPools.name(name);
        int kind = bytes.length > DentryLayout.SMALL_NAME_BYTES ? PageKind.DENTRY_LARGE : PageKind.DENTRY_SMALL;
        return find(
                kind,
                at -> getInt(at + DentryLayout.MAGIC_OFFSET) == DentryLayout.MAGIC
                        && getLong(at + DentryLayout.PARENT_OFFSET) == parent
                        && Arrays.equals(
                                memory.asSlice(at + DentryLayout.NAME_OFFSET, nameLength(at))
                                        .toArray(ValueLayout.JAVA_BYTE),
                                bytes));
    }

    private int nameLength(long at) {
        return getInt(at + DentryLayout.NAME_LENGTH_OFFSET) & 0xFFFF;
    }

    /** Makes the checksum of an inode right. */
    public void sealInode(long at) {
        putInt(at + InodeLayout.CHECKSUM_OFFSET, InodeLayout.checksum(memory, at));
    }

    /** Makes the checksum of an entry right. */
    public void sealDentry(long at) {
        putInt(
                at + DentryLayout.CHECKSUM_OFFSET,
                crc(at + DentryLayout.MAGIC_OFFSET, at + DentryLayout.NAME_OFFSET + nameLength(at)));
    }

    int crc(long from, long to) {
        CRC32C crc = new CRC32C();
        crc.update(memory.asSlice(from, to - from).asByteBuffer());
        return (int) crc.getValue();
    }

    /** Copies a slot. */
    void copy(long from, long to, int bytes) {
        MemorySegment.copy(memory, from, memory, to, bytes);
    }

    /** Where the entry of a file's block lies; maps of height 2 at most. */
    public long entry(long ino, int fileBlock) {
        long at = inode(ino);
        int height = getInt(at + InodeLayout.MAP_HEIGHT_OFFSET);
        long leaf = switch (height) {
            case 0 -> at + InodeLayout.INLINE_OFFSET;
            case 1 -> getLong(at + InodeLayout.MAP_ROOT_OFFSET);
            default -> getLong(getLong(at + InodeLayout.MAP_ROOT_OFFSET) + (long) (fileBlock >>> 8) * Long.BYTES);
        };
        return leaf + (fileBlock & 0xFF) * 16L;
    }

    @Override
    public void close() {
        pool.close();
    }
}
