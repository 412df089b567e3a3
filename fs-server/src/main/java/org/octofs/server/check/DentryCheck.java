package org.octofs.server.check;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.agrona.collections.Long2LongHashMap;
import org.agrona.collections.LongArrayList;
import org.agrona.collections.LongHashSet;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.server.check.Findings.Stage;
import org.octofs.server.namespace.DentryLayout;
import org.octofs.server.store.PageKind;

/**
 * Directory entries: each for itself, that its directory and its inode exist and agree with it, and that no name and no place
 * is there twice in a directory. Counts them into the {@link InodeIndex}.
 * Threading: confined to the check. Cost: 16 bytes for each entry of the pool that is being read.
 */
final class DentryCheck {
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(java.nio.ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(java.nio.ByteOrder.LITTLE_ENDIAN);
    private static final byte[] LOST_AND_FOUND = LostAndFound.name();

    private final Cluster cluster;
    private final Findings findings;
    private final InodeIndex index;
    private final PathNames paths;
    private final LongArrayList names = new LongArrayList();
    private final LongArrayList places = new LongArrayList();
    private long count;
    private long lostAndFound;

    DentryCheck(Cluster cluster, Findings findings, InodeIndex index, PathNames paths) {
        this.cluster = cluster;
        this.findings = findings;
        this.index = index;
        this.paths = paths;
    }

    /** Entries seen. */
    long count() {
        return count;
    }

    /** Inode number of /lost+found, 0 if there is none. */
    long lostAndFound() {
        return lostAndFound;
    }

    /** Checks the slots of a page. */
    void page(PoolView pool, int page) {
        int kind = pool.kind(page);
        for (int slot = 0; slot < PageKind.slotCount(kind); slot++) {
            long offset = pool.slotOffset(page, slot);
            if (pool.readInt(offset + DentryLayout.MAGIC_OFFSET) != 0 && !pool.isLocked(offset)) {
                slot(pool, offset, kind, PoolView.slotReference(page, slot));
            }
        }
    }

    private void slot(PoolView pool, long offset, int kind, int reference) {
        String wrong = implausible(pool, offset, kind);
        if (!wrong.isEmpty()) {
            findings.error(
                    pool.node(),
                    0,
                    offset,
                    "the slot of a directory entry has " + wrong,
                    "it is cleared; what it named goes to /lost+found unless it has another name",
                    Stage.STRUCTURE,
                    () -> Mender.clearDentry(pool, offset));
            return;
        }
        count++;
        long parent = pool.readLong(offset + DentryLayout.PARENT_OFFSET);
        long child = pool.readLong(offset + DentryLayout.CHILD_OFFSET);
        int parentPlace = index.find(parent);
        if (parentPlace < 0
                && cluster.home(parent) == pool.node()
                && !pool.lockedSlots().isEmpty()) {
            // The directory may be one of those that are left out.
            return;
        }
        if (cluster.home(parent) != pool.node() || parentPlace < 0) {
            drop(pool, offset, parent, " is in a directory that does not exist, " + Cluster.name(parent));
            return;
        }
        long directory = pool.slotOffset(index.slot(parentPlace));
        if (!FileMode.isDirectory(pool.mode(directory))) {
            drop(pool, offset, parent, " is in " + Cluster.name(parent) + ", which is no directory");
            return;
        }
        names.addLong(nameHash(pool, offset, parent));
        places.addLong(mix(parent ^ mix(pool.readLong(offset + DentryLayout.COOKIE_OFFSET))));
        child(pool, offset, parent, parentPlace, child, reference);
    }

    private String implausible(PoolView pool, long offset, int kind) {
        if (pool.readInt(offset + DentryLayout.MAGIC_OFFSET) != DentryLayout.MAGIC) {
            return "a wrong magic word, 0x" + Integer.toHexString(pool.readInt(offset + DentryLayout.MAGIC_OFFSET));
        }
        int length = pool.readShort(offset + DentryLayout.NAME_LENGTH_OFFSET);
        int max = Math.min(PageKind.slotBytes(kind) - DentryLayout.NAME_OFFSET, DentryLayout.NAME_BYTES_MAX);
        if (length < 1 || length > max) {
            return "a name of " + length + " bytes";
        }
        int expected = pool.checksum(offset + DentryLayout.MAGIC_OFFSET, offset + DentryLayout.NAME_OFFSET + length);
        if (pool.readInt(offset + DentryLayout.CHECKSUM_OFFSET) != expected) {
            return "a wrong checksum (name '" + pool.dentryName(offset) + "')";
        }
        if (!isName(pool, offset, length)) {
            return "the impossible name '" + pool.dentryName(offset) + "'";
        }
        long parent = pool.readLong(offset + DentryLayout.PARENT_OFFSET);
        long child = pool.readLong(offset + DentryLayout.CHILD_OFFSET);
        if (!isNumber(parent) || !isNumber(child)) {
            return "the impossible inode number " + Long.toUnsignedString(isNumber(parent) ? child : parent);
        }
        if (pool.readLong(offset + DentryLayout.COOKIE_OFFSET) < DentryLayout.FIRST_COOKIE
                || pool.readShort(offset + DentryLayout.PARTITION_OFFSET) != 0) {
            return "an impossible place in its directory";
        }
        return "";
    }

    private boolean isNumber(long ino) {
        return InodeNumber.index(ino) != 0 && InodeNumber.shard(ino) < cluster.shardCount();
    }

    private static boolean isName(PoolView pool, long offset, int length) {
        long name = offset + DentryLayout.NAME_OFFSET;
        boolean dots = length <= 2;
        for (int i = 0; i < length; i++) {
            byte b = pool.memory().get(ValueLayout.JAVA_BYTE, name + i);
            if (b == '/' || b == 0) {
                return false;
            }
            dots &= b == '.';
        }
        return !dots;
    }

    private void drop(PoolView pool, long offset, long parent, String why) {
        findings.error(
                pool.node(),
                parent,
                offset,
                "the name '" + pool.dentryName(offset) + "'" + why,
                "the name is removed; what it named goes to /lost+found unless it has another name",
                Stage.REFERENCE,
                () -> Mender.clearDentry(pool, offset));
    }

    private void child(PoolView pool, long offset, long parent, int parentPlace, long child, int reference) {
        index.addEntry(parentPlace);
        int place = index.find(child);
        PoolView there = cluster.homePool(child);
        if (there == null) {
            if (FileMode.isDirectory(pool.readInt(offset + DentryLayout.TYPE_OFFSET))) {
                index.addSubdirectory(parentPlace);
            }
            return;
        }
        if (place < 0) {
            if (!there.lockedSlots().isEmpty()) {
                return;
            }
            paths.later(() -> findings.error(
                    pool.node(),
                    child,
                    offset,
                    paths.entry(pool, offset) + " names " + Cluster.name(child) + " of node " + cluster.home(child)
                            + ", which does not exist",
                    "the name is removed",
                    Stage.REFERENCE,
                    () -> Mender.clearDentry(pool, offset)));
            return;
        }
        index.addName(place, pool.node(), reference);
        long slot = there.slotOffset(index.slot(place));
        int type = FileMode.type(there.mode(slot));
        if (type == FileMode.DIRECTORY) {
            index.addSubdirectory(parentPlace);
            if (parent == InodeNumber.ROOT && isLostAndFound(pool, offset)) {
                lostAndFound = child;
            }
        }
        if (pool.readInt(offset + DentryLayout.TYPE_OFFSET) != type) {
            paths.later(() -> findings.error(
                    pool.node(),
                    child,
                    offset,
                    paths.entry(pool, offset) + " says that it is "
                            + typeName(pool.readInt(offset + DentryLayout.TYPE_OFFSET)) + ", its inode (" + child
                            + ", node " + there.node() + ") that it is " + typeName(type),
                    "the name follows the inode",
                    Stage.REFERENCE,
                    () -> Mender.dentry(pool, offset, image -> image.set(INT, DentryLayout.TYPE_OFFSET, type))));
        }
    }

    private static String typeName(int type) {
        return switch (type) {
            case FileMode.REGULAR -> "a regular file";
            case FileMode.DIRECTORY -> "a directory";
            case FileMode.SYMLINK -> "a symbolic link";
            case FileMode.BLOCK_DEVICE -> "a block device";
            case FileMode.CHARACTER_DEVICE -> "a character device";
            case FileMode.FIFO -> "a named pipe";
            case FileMode.SOCKET -> "a socket";
            default -> "of the unknown type 0" + Integer.toOctalString(type);
        };
    }

    private static boolean isLostAndFound(PoolView pool, long offset) {
        return pool.readShort(offset + DentryLayout.NAME_LENGTH_OFFSET) == LOST_AND_FOUND.length
                && MemorySegment.mismatch(
                                MemorySegment.ofArray(LOST_AND_FOUND),
                                0,
                                LOST_AND_FOUND.length,
                                pool.memory(),
                                offset + DentryLayout.NAME_OFFSET,
                                offset + DentryLayout.NAME_OFFSET + LOST_AND_FOUND.length)
                        == -1;
    }

    // ------------------------------------------------------------------------------------------------ twice

    /** The last page of a pool was read: looks for what is there twice. */
    void endOfPool(PoolView pool) {
        LongHashSet suspects = new LongHashSet(0);
        addRepeated(names, suspects);
        addRepeated(places, suspects);
        names.clear();
        places.clear();
        if (suspects.isEmpty()) {
            return;
        }
        Long2LongHashMap seen = new Long2LongHashMap(0);
        for (int page = 0; page < pool.pageCount(); page++) {
            int kind = pool.kind(page);
            if (kind == PageKind.DENTRY_SMALL || kind == PageKind.DENTRY_LARGE) {
                for (int slot = 0; slot < PageKind.slotCount(kind); slot++) {
                    long offset = pool.slotOffset(page, slot);
                    if (pool.readInt(offset + DentryLayout.MAGIC_OFFSET) == DentryLayout.MAGIC
                            && implausible(pool, offset, kind).isEmpty()) {
                        suspect(pool, offset, suspects, seen);
                    }
                }
            }
        }
    }

    private static void addRepeated(LongArrayList hashes, LongHashSet repeated) {
        long[] sorted = hashes.toLongArray();
        Arrays.sort(sorted);
        for (int i = 1; i < sorted.length; i++) {
            if (sorted[i] == sorted[i - 1]) {
                repeated.add(sorted[i]);
            }
        }
    }

    private void suspect(PoolView pool, long offset, LongHashSet suspects, Long2LongHashMap seen) {
        long parent = pool.readLong(offset + DentryLayout.PARENT_OFFSET);
        long name = nameHash(pool, offset, parent);
        if (suspects.contains(name)) {
            long other = seen.get(name);
            if (other == 0) {
                seen.put(name, offset);
            } else if (isSameName(pool, offset, other)) {
                paths.later(() -> findings.error(
                        pool.node(),
                        parent,
                        offset,
                        paths.entry(pool, offset) + " is there twice, also at offset " + other,
                        "one is removed; what it named goes to /lost+found unless it has another name",
                        Stage.REFERENCE,
                        () -> Mender.clearDentry(pool, offset)));
            }
        }
        long cookie = pool.readLong(offset + DentryLayout.COOKIE_OFFSET);
        long place = mix(parent ^ mix(cookie));
        if (suspects.contains(place)) {
            long other = seen.get(place);
            if (other == 0) {
                seen.put(place, offset);
            } else if (isSame(pool, DentryLayout.PARENT_OFFSET, offset, other)
                    && isSame(pool, DentryLayout.COOKIE_OFFSET, offset, other)) {
                paths.later(() -> findings.error(
                        pool.node(),
                        parent,
                        offset,
                        paths.entry(pool, offset) + " has the place " + cookie
                                + " in its directory, as another name does",
                        "it gets a new place",
                        Stage.REFERENCE,
                        () -> {
                            long fresh = LostAndFound.nextCookie(pool, parent);
                            Mender.dentry(pool, offset, i -> i.set(LONG, DentryLayout.COOKIE_OFFSET, fresh));
                        }));
            }
        }
    }

    private static boolean isSame(PoolView pool, int field, long one, long other) {
        return pool.readLong(one + field) == pool.readLong(other + field);
    }

    private static boolean isSameName(PoolView pool, long one, long other) {
        int length = pool.readShort(one + DentryLayout.NAME_LENGTH_OFFSET);
        return length == pool.readShort(other + DentryLayout.NAME_LENGTH_OFFSET)
                && isSame(pool, DentryLayout.PARENT_OFFSET, one, other)
                && MemorySegment.mismatch(
                                pool.memory(),
                                one + DentryLayout.NAME_OFFSET,
                                one + DentryLayout.NAME_OFFSET + length,
                                pool.memory(),
                                other + DentryLayout.NAME_OFFSET,
                                other + DentryLayout.NAME_OFFSET + length)
                        == -1;
    }

    private static long nameHash(PoolView pool, long offset, long parent) {
        int length = pool.readShort(offset + DentryLayout.NAME_LENGTH_OFFSET);
        long h = mix(parent + 0x9E3779B97F4A7C15L);
        for (int i = 0; i < length; i++) {
            h = (h ^ (pool.memory().get(ValueLayout.JAVA_BYTE, offset + DentryLayout.NAME_OFFSET + i) & 0xFF))
                    * 0x100000001B3L;
            h ^= h >>> 29;
        }
        // One bit apart from the hashes of places, which share the set of suspects.
        return mix(h) | 1;
    }

    private static long mix(long value) {
        long x = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        x = (x ^ (x >>> 27)) * 0x94D049BB133111EBL;
        return (x ^ (x >>> 31)) & ~1L;
    }
}
