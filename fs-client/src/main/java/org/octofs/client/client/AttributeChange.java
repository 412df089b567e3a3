package org.octofs.client.client;

import org.octofs.rpc.protocol.AttributeMask;

/**
 * Which attributes a setAttributes changes, and to what. A reusable holder, not thread-safe.
 *
 * <p>A time that is to become "now" is either set to the caller's now, or left to the home's clock with
 * {@link #accessTimeNow}, {@link #modificationTimeNow}; a time that is to stay is not mentioned.
 */
public final class AttributeChange {
    private int valid;
    private boolean sizeChanges;
    private int mode;
    private int uid;
    private int gid;
    private long sizeBytes;
    private long accessSeconds;
    private int accessNanos;
    private long modificationSeconds;
    private int modificationNanos;

    /** Forgets everything, for the next use. */
    public AttributeChange clear() {
        valid = 0;
        sizeChanges = false;
        return this;
    }

    /** Sets the permission bits. */
    public AttributeChange mode(int value) {
        mode = value;
        valid |= AttributeMask.MODE;
        return this;
    }

    /** Sets the owner. */
    public AttributeChange uid(int value) {
        uid = value;
        valid |= AttributeMask.UID;
        return this;
    }

    /** Sets the group. */
    public AttributeChange gid(int value) {
        gid = value;
        valid |= AttributeMask.GID;
        return this;
    }

    /** Sets the size (truncate, or extension by a hole). */
    public AttributeChange sizeBytes(long value) {
        sizeBytes = value;
        sizeChanges = true;
        return this;
    }

    /** Sets the access time. */
    public AttributeChange accessTime(long seconds, int nanos) {
        accessSeconds = seconds;
        accessNanos = nanos;
        valid = (valid & ~AttributeMask.ATIME_NOW) | AttributeMask.ATIME;
        return this;
    }

    /** Sets the modification time. */
    public AttributeChange modificationTime(long seconds, int nanos) {
        modificationSeconds = seconds;
        modificationNanos = nanos;
        valid = (valid & ~AttributeMask.MTIME_NOW) | AttributeMask.MTIME;
        return this;
    }

    /** Sets the access time to the home's now. */
    public AttributeChange accessTimeNow() {
        valid = (valid & ~AttributeMask.ATIME) | AttributeMask.ATIME_NOW;
        return this;
    }

    /** Sets the modification time to the home's now. */
    public AttributeChange modificationTimeNow() {
        valid = (valid & ~AttributeMask.MTIME) | AttributeMask.MTIME_NOW;
        return this;
    }

    /** The file was read: sets the access time to the home's now where the rule of relatime asks for it. Only alone. */
    public AttributeChange accessed() {
        valid |= AttributeMask.ACCESSED;
        return this;
    }

    /** Clears set-user-id, and set-group-id where the group may execute, as a write by somebody else does. */
    public AttributeChange killPrivileges() {
        valid |= AttributeMask.KILL_PRIVILEGES;
        return this;
    }

    /** What is meant besides the size, bits of {@link AttributeMask}. */
    public int valid() {
        return valid;
    }

    /** Whether the size changes. */
    public boolean sizeChanges() {
        return sizeChanges;
    }

    /** New permission bits. */
    public int mode() {
        return mode;
    }

    /** New owner. */
    public int uid() {
        return uid;
    }

    /** New group. */
    public int gid() {
        return gid;
    }

    /** New size in bytes. */
    public long sizeBytes() {
        return sizeBytes;
    }

    /** New access time, seconds. */
    public long accessSeconds() {
        return accessSeconds;
    }

    /** New access time, nanoseconds within the second. */
    public int accessNanos() {
        return accessNanos;
    }

    /** New modification time, seconds. */
    public long modificationSeconds() {
        return modificationSeconds;
    }

    /** New modification time, nanoseconds within the second. */
    public int modificationNanos() {
        return modificationNanos;
    }
}
