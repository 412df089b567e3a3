package org.octofs.server.namespace;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.agrona.collections.Long2ObjectHashMap;
import org.octofs.server.store.DeferredAction;
import org.octofs.server.store.MetaStore;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.PageKind;

/**
 * The directory entries that live in this pool: found by {directory, name}, listed by {directory, cookie}.
 * Threading:  confined to the worker.
 * Durability: changes are durable with their transaction; the indexes in DRAM follow its commit, so that a name which was
 *             inserted in an open transaction is not found yet.
 * Cost:       about 11 bytes of DRAM per entry for names and 12 to 18 for listings.
 *
 * <p>Entries are named by slot references, see {@link MetaStore}; 0 = none.
 */
public final class DentryTable {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final MetaStore store;
    private final MemorySegment memory;
    private final ReferenceTable names = new ReferenceTable();
    private final Long2ObjectHashMap<Directory> directories = new Long2ObjectHashMap<>();
    private long lastDirectoryIno;
    private Directory lastDirectory;

    private final byte[] image = new byte[DentryLayout.LARGE_SLOT_BYTES];
    private final MemorySegment imageSegment = MemorySegment.ofArray(image);
    private final CRC32C crc = new CRC32C();

    private final DeferredAction add = (slotOffset, _) -> addSlot(slotOffset);
    private final DeferredAction remove = (slotOffset, _) -> removeSlot(slotOffset);
    private final DeferredAction drop = (directory, _) -> dropDirectory(directory);

    /** An empty table; recovery fills it. */
    public DentryTable(MetaStore store) {
        this.store = store;
        this.memory = store.memory();
    }

    /** The entry for a name, 0 if there is none. */
    public int find(long parent, Name name) {
        int hash = name.hash(parent);
        for (int place = names.first(hash); place >= 0; place = names.next(hash, place)) {
            int reference = names.referenceAt(place);
            long slot = store.slotOffset(reference);
            if (memory.get(LONG, slot + DentryLayout.PARENT_OFFSET) == parent
                    && name.matches(memory, slot + DentryLayout.NAME_OFFSET, nameLengthAt(slot))) {
                return reference;
            }
        }
        return 0;
    }

    /** Inode number that an entry stands for. */
    public long child(int reference) {
        return memory.get(LONG, store.slotOffset(reference) + DentryLayout.CHILD_OFFSET);
    }

    /** S_IFMT bits of the entry's child. */
    public int type(int reference) {
        return memory.get(INT, store.slotOffset(reference) + DentryLayout.TYPE_OFFSET);
    }

    public long cookie(int reference) {
        return memory.get(LONG, store.slotOffset(reference) + DentryLayout.COOKIE_OFFSET);
    }

    public int nameLength(int reference) {
        return nameLengthAt(store.slotOffset(reference));
    }

    /** Pool offset of an entry's name. */
    public long nameOffset(int reference) {
        return store.slotOffset(reference) + DentryLayout.NAME_OFFSET;
    }

    /** A copy of the name in an entry's slot. */
    public byte[] nameAt(long slotOffset) {
        byte[] copy = new byte[nameLengthAt(slotOffset)];
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, slotOffset + DentryLayout.NAME_OFFSET, copy, 0, copy.length);
        return copy;
    }

    /** Pool offset of an entry's slot. */
    public long slotOffset(int reference) {
        return store.slotOffset(reference);
    }

    /** Entries of a directory. */
    public int count(long parent) {
        Directory directory = directories.get(parent);
        return directory == null ? 0 : directory.size();
    }

    /** A position in a directory's listing, for {@link #next}; valid until anything changes. */
    public int positionAfter(long parent, long cookie) {
        Directory directory = directories.get(parent);
        return directory == null ? 0 : directory.positionAfter(cookie);
    }

    /**
     * The first position from {@code position} on that holds an entry.
     *
     * @return the position, -1 if there is none
     */
    public int next(long parent, int position) {
        Directory directory = directories.get(parent);
        if (directory != null) {
            for (int at = position; at < directory.positions(); at++) {
                if (directory.referenceAt(at) != 0) {
                    return at;
                }
            }
        }
        return -1;
    }

    /** The entry at a position that {@link #next} has answered. */
    public int referenceAt(long parent, int position) {
        return directories.get(parent).referenceAt(position);
    }

    /** Stages a new entry; it is found after the commit. The caller has checked that the name is free. */
    public void insert(MetaTransaction tx, long parent, Name name, long child, int type) {
        int kind = name.length() <= DentryLayout.SMALL_NAME_BYTES ? PageKind.DENTRY_SMALL : PageKind.DENTRY_LARGE;
        long slot = tx.allocateSlot(kind);
        int length = buildImage(parent, takeCookie(parent), name, child, type);
        tx.update(slot, imageSegment, 0, length);
        tx.afterCommit(add, slot, 0);
    }

    /**
     * Builds the media image of an entry, for a slot of another server.
     *
     * @param target at least {@link DentryLayout#LARGE_SLOT_BYTES} from {@code targetOffset}
     * @return bytes of the image
     */
    public int image(
            long parent, long cookie, Name name, long child, int type, MemorySegment target, long targetOffset) {
        int length = buildImage(parent, cookie, name, child, type);
        MemorySegment.copy(imageSegment, 0, target, targetOffset, length);
        return length;
    }

    /** The cookie for a new entry of a directory. */
    public long takeCookie(long parent) {
        return directory(parent).takeCookie();
    }

    /** Stages the removal of an entry; it is gone after the commit. */
    public void remove(MetaTransaction tx, int reference) {
        long slot = store.slotOffset(reference);
        // One word holds checksum and magic. The rest stays readable, which the removal from the indexes relies on.
        tx.updateLong(slot, 0);
        tx.entryChanges(memory.get(LONG, slot + DentryLayout.PARENT_OFFSET), slot);
        tx.afterCommit(remove, slot, 0);
        tx.freeSlot(slot);
    }

    /** Stages another child for an entry; name, cookie and place stay. */
    public void replaceChild(MetaTransaction tx, int reference, long child, int type) {
        long slot = store.slotOffset(reference);
        int length = DentryLayout.NAME_OFFSET + nameLengthAt(slot);
        MemorySegment.copy(memory, slot, imageSegment, 0, length);
        imageSegment.set(LONG, DentryLayout.CHILD_OFFSET, child);
        imageSegment.set(INT, DentryLayout.TYPE_OFFSET, type);
        seal(length);
        tx.update(slot, imageSegment, 0, DentryLayout.NAME_OFFSET);
        tx.entryChanges(memory.get(LONG, slot + DentryLayout.PARENT_OFFSET), slot);
    }

    /** Forgets a removed directory after the commit. */
    public void dropDirectory(MetaTransaction tx, long ino) {
        tx.afterCommit(drop, ino, 0);
    }

    /** Recovery is about to add an entry with this hash, too; the answer means nothing. */
    public long touch(int hash) {
        return names.touch(hash);
    }

    /** As {@link #addSlot}, by recovery, which has read the slot already. */
    public void recover(long slotOffset, int hash, long parent, long cookie) {
        int reference = store.slotReference(slotOffset);
        names.add(hash, reference);
        directory(parent).add(cookie, reference);
    }

    /** Recovery is about to add so many entries. */
    public void expect(long count) {
        names.expect(count);
    }

    /** Takes the entry in a slot into the indexes: recovery, or a slot that another server has dispatched. */
    public void addSlot(long slotOffset) {
        int reference = store.slotReference(slotOffset);
        long parent = memory.get(LONG, slotOffset + DentryLayout.PARENT_OFFSET);
        names.add(hashAt(parent, slotOffset), reference);
        directory(parent).add(memory.get(LONG, slotOffset + DentryLayout.COOKIE_OFFSET), reference);
    }

    /** Takes the entry whose fields are (still) in a slot out of the indexes. */
    public void removeSlot(long slotOffset) {
        int reference = store.slotReference(slotOffset);
        long parent = memory.get(LONG, slotOffset + DentryLayout.PARENT_OFFSET);
        names.remove(hashAt(parent, slotOffset), reference);
        Directory directory = directories.get(parent);
        if (directory != null) {
            directory.remove(memory.get(LONG, slotOffset + DentryLayout.COOKIE_OFFSET), reference);
        }
    }

    /** Whether a slot holds an entry. */
    public boolean isAllocated(long slotOffset) {
        return memory.get(INT, slotOffset + DentryLayout.MAGIC_OFFSET) == DentryLayout.MAGIC;
    }

    /** The checksum that the entry in a slot should have; its name length must have been checked. */
    public int checksum(long slotOffset) {
        int length = DentryLayout.NAME_OFFSET + nameLengthAt(slotOffset);
        MemorySegment.copy(memory, slotOffset, imageSegment, 0, length);
        return checksumOfImage(length);
    }

    /** Entries in all directories. */
    public int size() {
        return names.size();
    }

    /** DRAM that the indexes take. */
    public long memoryBytes() {
        long bytes = names.memoryBytes() + directories.capacity() * 16L;
        for (Directory directory : directories.values()) {
            bytes += directory.memoryBytes();
        }
        return bytes;
    }

    private Directory directory(long ino) {
        // Entries come in runs of one directory, above all in recovery.
        if (lastDirectory != null && ino == lastDirectoryIno) {
            return lastDirectory;
        }
        Directory directory = directories.get(ino);
        if (directory == null) {
            directory = new Directory();
            directories.put(ino, directory);
        }
        lastDirectoryIno = ino;
        lastDirectory = directory;
        return directory;
    }

    private void dropDirectory(long ino) {
        lastDirectory = null;
        directories.remove(ino);
    }

    private int nameLengthAt(long slot) {
        return memory.get(SHORT, slot + DentryLayout.NAME_LENGTH_OFFSET) & 0xFFFF;
    }

    private int hashAt(long parent, long slot) {
        return Name.hash(parent, memory, slot + DentryLayout.NAME_OFFSET, nameLengthAt(slot));
    }

    private int buildImage(long parent, long cookie, Name name, long child, int type) {
        imageSegment.set(INT, DentryLayout.MAGIC_OFFSET, DentryLayout.MAGIC);
        imageSegment.set(LONG, DentryLayout.PARENT_OFFSET, parent);
        imageSegment.set(LONG, DentryLayout.COOKIE_OFFSET, cookie);
        imageSegment.set(LONG, DentryLayout.CHILD_OFFSET, child);
        imageSegment.set(INT, DentryLayout.TYPE_OFFSET, type);
        imageSegment.set(SHORT, DentryLayout.NAME_LENGTH_OFFSET, (short) name.length());
        imageSegment.set(SHORT, DentryLayout.PARTITION_OFFSET, (short) 0);
        MemorySegment.copy(name.segment(), 0, imageSegment, DentryLayout.NAME_OFFSET, name.length());
        int length = DentryLayout.NAME_OFFSET + name.length();
        seal(length);
        return length;
    }

    private void seal(int length) {
        imageSegment.set(INT, DentryLayout.CHECKSUM_OFFSET, checksumOfImage(length));
    }

    private int checksumOfImage(int length) {
        crc.reset();
        crc.update(image, DentryLayout.MAGIC_OFFSET, length - DentryLayout.MAGIC_OFFSET);
        return (int) crc.getValue();
    }
}
