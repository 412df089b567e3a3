package org.octofs.server.store;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.octofs.pmem.PoolFullException;
import org.octofs.pmem.log.LogRecord;
import org.octofs.pmem.log.RedoLog;
import org.octofs.pmem.medium.PmemMedium;
import org.octofs.rpc.protocol.InodeLayout;

/**
 * One atomic change of the pool: updates are staged in DRAM, then become one record of the redo log, then visible.
 * Threading:  confined to the worker; one transaction at a time, begun again after {@link #commit} or {@link #abort}.
 *             Staging may allocate slots and pages, which appends small records of its own at once.
 * Ownership:  images handed out are the transaction's; they are invalid once it ends.
 * Durability: nothing before {@link #commit}; when that returns, everything staged is durable and visible.
 * Limits:     one record, {@link RedoLog#maxRecordBytes()}; see {@link #stagedBytes()}.
 *
 * <p>Inodes are staged as whole images. Commit gives each a new version, stores the version words odd, the bodies, then the
 * version words even, so that one-sided readers never take a mixture for an image.
 */
public final class MetaTransaction {
    private static final int INITIAL_UPDATES = 64;

    private final MetaStore store;
    private final PmemMedium medium;
    private final RedoLog log;
    private final CRC32C crc = new CRC32C();

    private boolean active;
    private boolean committing;
    private int recordType;
    private int shard;
    private long txnId;
    private boolean retained;
    private boolean hasNewPages;

    private final List<StagedInode> inodes = new ArrayList<>();
    private int inodeCount;

    // Updates and payloads, in the order staged. length == WORD: the value itself is in `position`.
    private static final int WORD = -1;
    private long[] offsets = new long[INITIAL_UPDATES];
    private long[] positions = new long[INITIAL_UPDATES];
    private int[] lengths = new int[INITIAL_UPDATES];
    private int[] tags = new int[INITIAL_UPDATES]; // -1: an update of the pool, else the tag of a payload
    private int updateCount;
    private byte[] bytes = new byte[4096];
    private MemorySegment bytesSegment = MemorySegment.ofArray(bytes);
    private int byteCount;

    // Entries that are removed, or get another child: directory and slot.
    private long[] entryDirectories = new long[4];
    private long[] entrySlots = new long[4];
    private int entryCount;

    private final ActionList onCommit = new ActionList();
    private final ActionList onAbort = new ActionList();

    private static final class StagedInode {
        final byte[] image = new byte[InodeLayout.SIZE_BYTES];
        final MemorySegment segment = MemorySegment.ofArray(image);
        final InodeRecord record = new InodeRecord();
        long slotOffset;
        long newVersion;
    }

    /** A transaction over a store. */
    public MetaTransaction(MetaStore store) {
        this.store = store;
        this.medium = store.medium();
        this.log = store.log();
    }

    /** Begins; {@code recordType} is one of {@link RecordType}. */
    public MetaTransaction begin(int recordType) {
        if (active) {
            throw new IllegalStateException("a transaction of type " + this.recordType + " is still open");
        }
        active = true;
        this.recordType = recordType;
        shard = 0;
        txnId = 0;
        retained = false;
        hasNewPages = false;
        inodeCount = 0;
        updateCount = 0;
        byteCount = 0;
        entryCount = 0;
        onCommit.clear();
        onAbort.clear();
        return this;
    }

    public boolean isActive() {
        return active;
    }

    /** True while the record may be in the log but not everything is visible yet: a failure now must stop the server. */
    public boolean isCommitting() {
        return committing;
    }

    /** The shard that the record belongs to. */
    public MetaTransaction shard(int value) {
        shard = value;
        return this;
    }

    /** Names a distributed transaction; its record is retained until {@link RedoLog#release}. */
    public MetaTransaction retain(long distributedTxnId) {
        txnId = distributedTxnId;
        retained = true;
        return this;
    }

    /**
     * The image of an allocated inode, to be changed. The same image for every call with this slot.
     *
     * @param slotOffset pool offset of the slot
     */
    public InodeRecord inode(long slotOffset) {
        StagedInode staged = find(slotOffset);
        if (staged == null) {
            staged = stage(slotOffset);
            MemorySegment.copy(store.memory(), slotOffset, staged.segment, 0, InodeLayout.SIZE_BYTES);
        }
        return staged.record;
    }

    /** Whether {@link #inode} was called for this slot. */
    public boolean isStaged(long slotOffset) {
        return find(slotOffset) != null;
    }

    /** Allocates a slot and answers a new image with nothing but magic and number in it; given back if aborted. */
    public InodeRecord createInode(long ino) {
        long slotOffset = store.allocateSlot(PageKind.INODE);
        afterAbort(store.freeSlot, slotOffset, 0);
        return newInode(slotOffset, ino);
    }

    /** Answers a new image for a slot that the caller has allocated. */
    public InodeRecord newInode(long slotOffset, long ino) {
        StagedInode staged = stage(slotOffset);
        Arrays.fill(staged.image, (byte) 0);
        return staged.record
                .putLong(InodeLayout.VERSION_OFFSET, store.readLong(slotOffset + InodeLayout.VERSION_OFFSET))
                .putInt(InodeLayout.MAGIC_OFFSET, InodeLayout.MAGIC)
                .putLong(InodeLayout.INO_OFFSET, ino);
    }

    /** Frees an inode's slot; it is available again after the commit. */
    public void freeInode(long slotOffset) {
        InodeRecord record = inode(slotOffset);
        long version = record.version();
        Arrays.fill(find(slotOffset).image, (byte) 0);
        record.putLong(InodeLayout.VERSION_OFFSET, version);
        afterCommit(store.freeSlot, slotOffset, 0);
    }

    /** Stages bytes; the source may be reused at once. */
    public void update(long poolOffset, MemorySegment source, long sourceOffset, int lengthBytes) {
        addBytes(poolOffset, source, sourceOffset, lengthBytes, -1);
    }

    /** Stages one aligned word. */
    public void updateLong(long poolOffset, long value) {
        int index = nextUpdate();
        offsets[index] = poolOffset;
        positions[index] = value;
        lengths[index] = WORD;
        tags[index] = -1;
    }

    /** Adds bytes to the record that mean nothing to this pool. */
    public void payload(int tag, MemorySegment source, long sourceOffset, int lengthBytes) {
        addBytes(0, source, sourceOffset, lengthBytes, tag);
    }

    /** Notes that an entry that exists is removed or gets another child; {@code slotOffset} is its slot. */
    public void entryChanges(long directory, long slotOffset) {
        if (entryCount == entrySlots.length) {
            entryDirectories = Arrays.copyOf(entryDirectories, entryCount * 2);
            entrySlots = Arrays.copyOf(entrySlots, entryCount * 2);
        }
        entryDirectories[entryCount] = directory;
        entrySlots[entryCount++] = slotOffset;
    }

    /** Entries that {@link #entryChanges} has noted. */
    public int changedEntryCount() {
        return entryCount;
    }

    /** Directory of a noted entry. */
    public long changedEntryDirectory(int index) {
        return entryDirectories[index];
    }

    /** Slot of a noted entry. */
    public long changedEntrySlot(int index) {
        return entrySlots[index];
    }

    /** Inodes staged so far, new ones among them. */
    public int stagedInodeCount() {
        return inodeCount;
    }

    /** Slot of a staged inode. */
    public long stagedInodeSlot(int index) {
        return inodes.get(index).slotOffset;
    }

    /** Whether a staged inode has another mode, owner or group than before; one that is freed has none. */
    public boolean changesRights(int index) {
        InodeRecord now = inodes.get(index).record;
        long before = inodes.get(index).slotOffset;
        return now.isAllocated()
                && (now.mode() != store.readInt(before + InodeLayout.MODE_OFFSET)
                        || now.uid() != store.readInt(before + InodeLayout.UID_OFFSET)
                        || now.gid() != store.readInt(before + InodeLayout.GID_OFFSET));
    }

    /** Allocates a slot for a transaction that will fill it with {@link #update}; given back if aborted. */
    public long allocateSlot(int kind) {
        long slotOffset = store.allocateSlot(kind);
        afterAbort(store.freeSlot, slotOffset, 0);
        return slotOffset;
    }

    /** A slot whose magic word this transaction clears is available again after the commit. */
    public void freeSlot(long slotOffset) {
        afterCommit(store.freeSlot, slotOffset, 0);
    }

    /**
     * {@link MetaStore#allocatePage()}, given back if aborted. It has to be written and flushed before {@link #commit}, which
     * then fences before it appends the record.
     */
    public long allocatePage() {
        long pageOffset = store.allocatePage();
        hasNewPages = true;
        afterAbort(store.putBackPage, pageOffset, 0);
        return pageOffset;
    }

    /** A page that this transaction unlinks is available again after the commit (and a checkpoint). */
    public void freePage(long pageOffset) {
        afterCommit(store.restPage, pageOffset, 0);
    }

    /** Has something done once the transaction is durable and visible, in the order registered. */
    public void afterCommit(DeferredAction action, long first, long second) {
        onCommit.add(action, first, second);
    }

    /** Has something undone if the transaction is aborted, last registered first. */
    public void afterAbort(DeferredAction action, long first, long second) {
        onAbort.add(action, first, second);
    }

    /** About how many bytes the record has by now. */
    public int stagedBytes() {
        return inodeCount * (InodeLayout.SIZE_BYTES + 32) + byteCount + updateCount * 24;
    }

    /** The version that {@link #commit} will give or has given to a staged inode. */
    public long committedVersion(long slotOffset) {
        return InodeLayout.nextVersion(find(slotOffset).record.version());
    }

    /**
     * Makes everything durable, then visible, then runs the actions.
     *
     * @return sequence number of the log record; 0 if nothing was staged
     */
    public long commit() {
        if (!active) {
            throw new IllegalStateException("no transaction is open");
        }
        long sequence = 0;
        if (inodeCount + updateCount > 0) {
            if (hasNewPages) {
                // Fence: the record can become durable by itself, line by line, before its own fence; a valid record
                // must not link pages that are not there yet.
                medium.fence();
            }
            LogRecord record = fill(log.begin(recordType));
            // Whatever fails from here on may have left the record in the log.
            committing = true;
            try {
                sequence = log.commit(record);
            } catch (PoolFullException e) {
                committing = false; // nothing was written
                throw e;
            }
            if (retained) {
                log.retain(sequence);
            }
            publish(record);
        } else {
            committing = true;
        }
        active = false;
        onCommit.runForward();
        committing = false;
        return sequence;
    }

    /** Forgets everything and gives back what was allocated; harmless when no transaction is open. */
    public void abort() {
        if (active) {
            active = false;
            onAbort.runBackward();
        }
    }

    // ------------------------------------------------------------------------------------------------ inside

    private LogRecord fill(LogRecord record) {
        record.shard(shard).txnId(txnId);
        for (int i = 0; i < inodeCount; i++) {
            StagedInode staged = inodes.get(i);
            seal(staged);
            record.update(
                    staged.slotOffset + Long.BYTES, staged.segment, Long.BYTES, InodeLayout.SIZE_BYTES - Long.BYTES);
        }
        for (int i = 0; i < updateCount; i++) {
            if (lengths[i] == WORD) {
                record.updateLong(offsets[i], positions[i]);
            } else if (tags[i] >= 0) {
                record.payload(tags[i], bytesSegment, positions[i], lengths[i]);
            } else {
                record.update(offsets[i], bytesSegment, positions[i], lengths[i]);
            }
        }
        // Last, and applied in this order: an even version word tells readers that the body before it is complete.
        for (int i = 0; i < inodeCount; i++) {
            StagedInode staged = inodes.get(i);
            record.updateLong(staged.slotOffset + InodeLayout.VERSION_OFFSET, staged.newVersion);
        }
        return record;
    }

    private void seal(StagedInode staged) {
        staged.newVersion = InodeLayout.nextVersion(staged.record.version());
        if (staged.record.isAllocated()) {
            staged.record.putLong(InodeLayout.BODY_VERSION_OFFSET, staged.newVersion);
            crc.reset();
            crc.update(staged.image, InodeLayout.CHECKED_FROM, InodeLayout.SIZE_BYTES - InodeLayout.CHECKED_FROM);
            staged.record.putInt(InodeLayout.CHECKSUM_OFFSET, (int) crc.getValue());
        }
    }

    private void publish(LogRecord record) {
        for (int i = 0; i < inodeCount; i++) {
            StagedInode staged = inodes.get(i);
            medium.putLong(staged.slotOffset + InodeLayout.VERSION_OFFSET, staged.newVersion - 1);
        }
        // A reader on another processor must not see a new body below an old even version word.
        VarHandle.fullFence();
        log.apply(record);
    }

    private StagedInode find(long slotOffset) {
        for (int i = 0; i < inodeCount; i++) {
            if (inodes.get(i).slotOffset == slotOffset) {
                return inodes.get(i);
            }
        }
        return null;
    }

    private StagedInode stage(long slotOffset) {
        if (!active) {
            throw new IllegalStateException("no transaction is open");
        }
        if (inodeCount == inodes.size()) {
            inodes.add(new StagedInode());
        }
        StagedInode staged = inodes.get(inodeCount++);
        staged.slotOffset = slotOffset;
        staged.record.wrap(staged.segment, 0, slotOffset);
        return staged;
    }

    private void addBytes(long poolOffset, MemorySegment source, long sourceOffset, int lengthBytes, int tag) {
        if (byteCount + lengthBytes > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, byteCount + lengthBytes));
            bytesSegment = MemorySegment.ofArray(bytes);
        }
        MemorySegment.copy(source, sourceOffset, bytesSegment, byteCount, lengthBytes);
        int index = nextUpdate();
        offsets[index] = poolOffset;
        positions[index] = byteCount;
        lengths[index] = lengthBytes;
        tags[index] = tag;
        byteCount += lengthBytes;
    }

    private int nextUpdate() {
        if (!active) {
            throw new IllegalStateException("no transaction is open");
        }
        if (updateCount == offsets.length) {
            int larger = updateCount * 2;
            offsets = Arrays.copyOf(offsets, larger);
            positions = Arrays.copyOf(positions, larger);
            lengths = Arrays.copyOf(lengths, larger);
            tags = Arrays.copyOf(tags, larger);
        }
        return updateCount++;
    }
}
