package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.ProtocolException;

/**
 * COLLECT, between servers: the objects that a transaction needs at one participant, at most {@link #ITEMS_MAX}. All are
 * locked or none is. A transaction may collect from the same participant again, for more.
 *
 * <pre>
 * | txn id u64 | client id u64 | item count u32 | 0 u32 | items, each: | kind u32 | flags u32 | ino u64 | shard u32 | name length u32 | name, padded to 8 |
 * </pre>
 *
 * <p>Flyweight over a message body, little-endian; written front to back, read by {@link #next}. Not thread-safe; allocates
 * nothing.
 */
public final class CollectRequest {
    /** u64, the transaction: {owner node:16 | owner incarnation:16 | number:32}. */
    public static final int TXN_ID_OFFSET = 0;

    /** u64, the client that asked for it: what its own kernel keeps is not in the way. */
    public static final int CLIENT_ID_OFFSET = TXN_ID_OFFSET + Long.BYTES;

    /** u32, items that follow. */
    public static final int ITEM_COUNT_OFFSET = CLIENT_ID_OFFSET + Long.BYTES;

    /** u32, zero. */
    public static final int RESERVED_OFFSET = ITEM_COUNT_OFFSET + Integer.BYTES;

    /** Bytes before the items. */
    public static final int FIXED_BYTES = RESERVED_OFFSET + Integer.BYTES;

    /** Within an item: u32, one of the kinds below. */
    public static final int ITEM_KIND_OFFSET = 0;

    /** Within an item: u32, bits below. */
    public static final int ITEM_FLAGS_OFFSET = ITEM_KIND_OFFSET + Integer.BYTES;

    /** Within an item: u64, the inode or directory. */
    public static final int ITEM_INO_OFFSET = ITEM_FLAGS_OFFSET + Integer.BYTES;

    /** Within an item: u32, shard of a new inode. */
    public static final int ITEM_SHARD_OFFSET = ITEM_INO_OFFSET + Long.BYTES;

    /** Within an item: u32, bytes of the name. */
    public static final int ITEM_NAME_LENGTH_OFFSET = ITEM_SHARD_OFFSET + Integer.BYTES;

    /** Bytes of an item before its name. */
    public static final int ITEM_BYTES = ITEM_NAME_LENGTH_OFFSET + Integer.BYTES;

    /** A number and a slot for a new inode in {@code shard}. */
    public static final int NEW_INODE = 1;

    /** The inode {@code ino}. */
    public static final int INODE = 2;

    /** The directory {@code ino} and its entry {@code name}, which may or may not exist. */
    public static final int ENTRY = 3;

    /** Nothing but a lock on the number {@code ino}. */
    public static final int TOKEN = 4;

    /** For INODE: refuse (ENOTEMPTY) a directory that has entries. */
    public static final int FLAG_EMPTY = 1;

    /** For ENTRY: if there is no such entry, provide a slot for one. */
    public static final int FLAG_MAY_INSERT = 2;

    /** For ENTRY: if the entry's inode is at this participant too, lock it as well. */
    public static final int FLAG_WITH_CHILD = 4;

    /** Most items of one message. */
    public static final int ITEMS_MAX = 5;

    private static final int NAME_BYTES_MAX = 255;

    private MessageBuffer buffer;
    private int item;
    private int next;
    private int left;

    /** Points this flyweight at a received body; {@link #next} goes to the first item. */
    public CollectRequest wrap(MessageBuffer body) {
        buffer = body;
        next = FIXED_BYTES;
        long count = body.getU32(ITEM_COUNT_OFFSET);
        if (count < 1 || count > ITEMS_MAX) {
            throw new ProtocolException("COLLECT of " + count + " items; 1 to " + ITEMS_MAX + " are possible");
        }
        left = (int) count;
        return this;
    }

    /** Points this flyweight at a body to be written, without items. */
    public CollectRequest begin(MessageBuffer body, long txnId, long clientId) {
        buffer = body;
        next = FIXED_BYTES;
        body.putU64(TXN_ID_OFFSET, txnId);
        body.putU64(CLIENT_ID_OFFSET, clientId);
        body.putU32(ITEM_COUNT_OFFSET, 0);
        body.putU32(RESERVED_OFFSET, 0);
        return this;
    }

    /** Appends an item. */
    public CollectRequest add(int kind, int flags, long ino, int shard, byte[] name) {
        int at = next;
        buffer.putU32(at + ITEM_KIND_OFFSET, kind);
        buffer.putU32(at + ITEM_FLAGS_OFFSET, flags);
        buffer.putU64(at + ITEM_INO_OFFSET, ino);
        buffer.putU32(at + ITEM_SHARD_OFFSET, shard);
        buffer.putU32(at + ITEM_NAME_LENGTH_OFFSET, name.length);
        buffer.putBytes(at + ITEM_BYTES, name, 0, name.length);
        buffer.zero(at + ITEM_BYTES + name.length, padded(name.length) - name.length);
        buffer.putU32(ITEM_COUNT_OFFSET, buffer.getU32(ITEM_COUNT_OFFSET) + 1);
        next = at + ITEM_BYTES + padded(name.length);
        return this;
    }

    /** Bytes of the body as written so far. */
    public int bodyBytes() {
        return next;
    }

    /** Bytes that a body with one item and this name can have. */
    public static int itemBytes(int nameLength) {
        return ITEM_BYTES + padded(nameLength);
    }

    /** The transaction. */
    public long txnId() {
        return buffer.getU64(TXN_ID_OFFSET);
    }

    /** The client that asked for it. */
    public long clientId() {
        return buffer.getU64(CLIENT_ID_OFFSET);
    }

    /** Moves to the next item; false behind the last one. */
    public boolean next() {
        if (left == 0) {
            return false;
        }
        left--;
        item = next;
        long length = buffer.getU32(item + ITEM_NAME_LENGTH_OFFSET);
        if (length > NAME_BYTES_MAX) {
            throw new ProtocolException("COLLECT of a name of " + length + " bytes");
        }
        next = item + ITEM_BYTES + padded((int) length);
        buffer.check(item, next - item);
        return true;
    }

    /** What the current item is. */
    public int kind() {
        return buffer.getI32(item + ITEM_KIND_OFFSET);
    }

    /** FLAG_ bits of the current item. */
    public int flags() {
        return buffer.getI32(item + ITEM_FLAGS_OFFSET);
    }

    /** Inode number of the current item. */
    public long ino() {
        return buffer.getU64(item + ITEM_INO_OFFSET);
    }

    /** Shard of the current item. */
    public int shard() {
        return buffer.getI32(item + ITEM_SHARD_OFFSET);
    }

    /** Where the current item's name begins. */
    public int nameOffset() {
        return item + ITEM_BYTES;
    }

    /** Bytes of the current item's name. */
    public int nameLength() {
        return next - nameOffset() == 0 ? 0 : buffer.getI32(item + ITEM_NAME_LENGTH_OFFSET);
    }

    private static int padded(int length) {
        return (length + 7) & ~7;
    }
}
