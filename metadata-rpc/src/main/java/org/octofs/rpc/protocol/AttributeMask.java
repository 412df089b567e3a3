package org.octofs.rpc.protocol;

/** Which fields of SETATTR are meant. */
public final class AttributeMask {
    /** Permission bits. */
    public static final int MODE = 1;

    /** Owner. */
    public static final int UID = 2;

    /** Group. */
    public static final int GID = 4;

    /** Access time as given. */
    public static final int ATIME = 8;

    /** Modification time as given. */
    public static final int MTIME = 16;

    /** Access time: the home's clock. */
    public static final int ATIME_NOW = 32;

    /** Modification time: the home's clock. */
    public static final int MTIME_NOW = 64;

    /** Clear set-user-id, and set-group-id where the group may execute, as a write or chown does. */
    public static final int KILL_PRIVILEGES = 128;

    /**
     * Access time: the home's clock, where the rule of relatime asks for it: it is not later than the last change, or a
     * day old. The time of the last change stays as it is. Only alone.
     */
    public static final int ACCESSED = 256;

    private AttributeMask() {}
}
