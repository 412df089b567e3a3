package org.octofs.server.session;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.BitSet;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.octofs.pmem.PoolCorruptException;
import org.octofs.rpc.fabric.host.ProcessIdentity;
import org.octofs.server.store.MetaStore;
import org.octofs.server.store.MetaTransaction;

/**
 * The SESSION_TABLE zone behind the inode index marks: who has a session, and the outcomes of their last changing requests.
 * Threading:  confined to the worker.
 * Durability: everything is staged in the caller's transaction.
 * Limits:     {@link #capacity()} sessions of {@link SessionHeaderLayout#SLOT_COUNT} slots.
 */
public final class SessionTable {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final MemorySegment memory;
    private final long offset;
    private final int capacity;
    private final BitSet used = new BitSet();
    private final byte[] image = new byte[ReplyEntryLayout.SIZE_BYTES];
    private final MemorySegment imageSegment = MemorySegment.ofArray(image);
    private final CRC32C crc = new CRC32C();

    /** Told about each session that recovery finds. */
    @FunctionalInterface
    public interface RecoveredSession {
        /** {@code mapping} is the process that had the pool mapped, or null. */
        void session(int index, long clientId, ProcessIdentity mapping);
    }

    /**
     * A table that is not read yet.
     *
     * @param offset pool offset of the first session
     * @param lengthBytes room for sessions
     */
    public SessionTable(MetaStore store, long offset, long lengthBytes) {
        this.memory = store.memory();
        this.offset = offset;
        this.capacity = (int) (lengthBytes / SessionHeaderLayout.SESSION_BYTES);
    }

    /** Sessions that fit. */
    public int capacity() {
        return capacity;
    }

    /** Sessions there are. */
    public int size() {
        return used.cardinality();
    }

    /** Reads the table after the log was replayed. */
    public void recover(RecoveredSession visitor) {
        used.clear();
        for (int index = 0; index < capacity; index++) {
            long header = headerOffset(index);
            if (memory.get(INT, header + SessionHeaderLayout.MAGIC_OFFSET) != 0) {
                check(header, SessionHeaderLayout.CHECKSUM_OFFSET, "session header checksum");
                used.set(index);
                visitor.session(
                        index, memory.get(LONG, header + SessionHeaderLayout.CLIENT_ID_OFFSET), readMapping(header));
            }
        }
    }

    /**
     * Stages a new session.
     *
     * @return its index, -1 if the table is full
     */
    public int add(MetaTransaction tx, long clientId, long createdSeconds) {
        int index = used.nextClearBit(0);
        if (index >= capacity) {
            return -1;
        }
        used.set(index);
        imageSegment.fill((byte) 0);
        imageSegment.set(LONG, SessionHeaderLayout.CLIENT_ID_OFFSET, clientId);
        imageSegment.set(INT, SessionHeaderLayout.MAGIC_OFFSET, SessionHeaderLayout.MAGIC);
        imageSegment.set(LONG, SessionHeaderLayout.CREATED_SEC_OFFSET, createdSeconds);
        seal();
        tx.update(headerOffset(index), imageSegment, 0, SessionHeaderLayout.SIZE_BYTES);
        return index;
    }

    /** Stages who has the pool mapped and can store into it by itself. */
    public void mapping(MetaTransaction tx, int index, ProcessIdentity process) {
        MemorySegment.copy(memory, headerOffset(index), imageSegment, 0, SessionHeaderLayout.SIZE_BYTES);
        imageSegment.set(INT, SessionHeaderLayout.PROCESS_ID_OFFSET, (int) process.pid());
        imageSegment.set(
                LONG, SessionHeaderLayout.BOOT_ID_HIGH_OFFSET, process.bootId().getMostSignificantBits());
        imageSegment.set(
                LONG, SessionHeaderLayout.BOOT_ID_LOW_OFFSET, process.bootId().getLeastSignificantBits());
        imageSegment.set(LONG, SessionHeaderLayout.PROCESS_NAMESPACE_OFFSET, process.processIdNamespace());
        imageSegment.set(LONG, SessionHeaderLayout.PROCESS_START_OFFSET, process.startTicks());
        seal();
        tx.update(headerOffset(index), imageSegment, 0, SessionHeaderLayout.SIZE_BYTES);
    }

    private ProcessIdentity readMapping(long header) {
        int pid = memory.get(INT, header + SessionHeaderLayout.PROCESS_ID_OFFSET);
        return pid == 0
                ? null
                : new ProcessIdentity(
                        new UUID(
                                memory.get(LONG, header + SessionHeaderLayout.BOOT_ID_HIGH_OFFSET),
                                memory.get(LONG, header + SessionHeaderLayout.BOOT_ID_LOW_OFFSET)),
                        memory.get(LONG, header + SessionHeaderLayout.PROCESS_NAMESPACE_OFFSET),
                        pid,
                        memory.get(LONG, header + SessionHeaderLayout.PROCESS_START_OFFSET));
    }

    /** Stages the end of a session; its place is free once the transaction is through. */
    public void remove(MetaTransaction tx, int index) {
        imageSegment.fill((byte) 0);
        tx.update(headerOffset(index), imageSegment, 0, SessionHeaderLayout.SIZE_BYTES);
        tx.afterCommit((at, _) -> used.clear((int) at), index, 0);
    }

    /** Stages the outcome of a request. */
    public void record(
            MetaTransaction tx,
            int index,
            long clientId,
            int slot,
            long requestId,
            int opCode,
            int status,
            long ino,
            long extra) {
        imageSegment.fill((byte) 0);
        imageSegment.set(LONG, ReplyEntryLayout.CLIENT_ID_OFFSET, clientId);
        imageSegment.set(LONG, ReplyEntryLayout.REQUEST_ID_OFFSET, requestId);
        imageSegment.set(INT, ReplyEntryLayout.OP_CODE_OFFSET, opCode);
        imageSegment.set(INT, ReplyEntryLayout.STATUS_OFFSET, status);
        imageSegment.set(LONG, ReplyEntryLayout.INO_OFFSET, ino);
        imageSegment.set(LONG, ReplyEntryLayout.EXTRA_OFFSET, extra);
        imageSegment.set(INT, ReplyEntryLayout.SLOT_OFFSET, slot);
        seal();
        tx.update(entryOffset(index, slot), imageSegment, 0, ReplyEntryLayout.SIZE_BYTES);
    }

    /** The recorded outcome of a request, null if the slot's last recorded request is another one. */
    public RecordedReply find(int index, long clientId, int slot, long requestId) {
        long entry = entryOffset(index, slot);
        if (memory.get(LONG, entry + ReplyEntryLayout.CLIENT_ID_OFFSET) != clientId
                || memory.get(LONG, entry + ReplyEntryLayout.REQUEST_ID_OFFSET) != requestId) {
            return null;
        }
        check(entry, ReplyEntryLayout.CHECKSUM_OFFSET, "recorded reply checksum");
        return new RecordedReply(
                memory.get(INT, entry + ReplyEntryLayout.OP_CODE_OFFSET),
                memory.get(INT, entry + ReplyEntryLayout.STATUS_OFFSET),
                memory.get(LONG, entry + ReplyEntryLayout.INO_OFFSET),
                memory.get(LONG, entry + ReplyEntryLayout.EXTRA_OFFSET));
    }

    private long headerOffset(int index) {
        return offset + (long) index * SessionHeaderLayout.SESSION_BYTES;
    }

    private long entryOffset(int index, int slot) {
        return headerOffset(index) + SessionHeaderLayout.SIZE_BYTES + (long) slot * ReplyEntryLayout.SIZE_BYTES;
    }

    private void seal() {
        imageSegment.set(INT, ReplyEntryLayout.CHECKSUM_OFFSET, checksum());
    }

    private int checksum() {
        crc.reset();
        crc.update(image, 0, ReplyEntryLayout.CHECKSUM_OFFSET);
        return (int) crc.getValue();
    }

    private void check(long at, int checksumOffset, String what) {
        MemorySegment.copy(memory, at, imageSegment, 0, ReplyEntryLayout.SIZE_BYTES);
        int found = memory.get(INT, at + checksumOffset);
        if (found != checksum()) {
            throw new PoolCorruptException(what, at + checksumOffset, checksum() & 0xFFFF_FFFFL, found & 0xFFFF_FFFFL);
        }
    }
}
