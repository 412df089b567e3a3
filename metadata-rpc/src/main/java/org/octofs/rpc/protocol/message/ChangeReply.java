package org.octofs.rpc.protocol.message;

import org.octofs.rpc.protocol.MessageBuffer;

/**
 * Answer of UNLINK, RMDIR and RENAME.
 *
 * <p>Flyweight over a message body, little-endian; call {@link #wrap} first. Not thread-safe; allocates nothing.
 */
public final class ChangeReply {
    /** u64, inode removed or moved. */
    public static final int INO_OFFSET = 0;

    /** u64, inode replaced by a rename, else 0. */
    public static final int REPLACED_INO_OFFSET = INO_OFFSET + Long.BYTES;

    /** u64, version of the (source) directory afterwards. */
    public static final int PARENT_VERSION_OFFSET = REPLACED_INO_OFFSET + Long.BYTES;

    /** u64, version of the target directory afterwards. */
    public static final int TARGET_PARENT_VERSION_OFFSET = PARENT_VERSION_OFFSET + Long.BYTES;

    /** Bytes of the fixed part. */
    public static final int FIXED_BYTES = TARGET_PARENT_VERSION_OFFSET + Long.BYTES;

    private MessageBuffer buffer;

    /** Points this flyweight at a body. */
    public ChangeReply wrap(MessageBuffer body) {
        this.buffer = body;
        return this;
    }

    /** Inode removed or moved. */
    public long ino() {
        return buffer.getU64(INO_OFFSET);
    }

    /** Sets inode removed or moved. */
    public ChangeReply ino(long value) {
        buffer.putU64(INO_OFFSET, value);
        return this;
    }

    /** Inode replaced by a rename, else 0. */
    public long replacedIno() {
        return buffer.getU64(REPLACED_INO_OFFSET);
    }

    /** Sets inode replaced by a rename, else 0. */
    public ChangeReply replacedIno(long value) {
        buffer.putU64(REPLACED_INO_OFFSET, value);
        return this;
    }

    /** Version of the (source) directory afterwards. */
    public long parentVersion() {
        return buffer.getU64(PARENT_VERSION_OFFSET);
    }

    /** Sets version of the (source) directory afterwards. */
    public ChangeReply parentVersion(long value) {
        buffer.putU64(PARENT_VERSION_OFFSET, value);
        return this;
    }

    /** Version of the target directory afterwards. */
    public long targetParentVersion() {
        return buffer.getU64(TARGET_PARENT_VERSION_OFFSET);
    }

    /** Sets version of the target directory afterwards. */
    public ChangeReply targetParentVersion(long value) {
        buffer.putU64(TARGET_PARENT_VERSION_OFFSET, value);
        return this;
    }

    /** Bytes of the whole body as set so far. */
    public int bodyBytes() {
        return FIXED_BYTES;
    }
}
