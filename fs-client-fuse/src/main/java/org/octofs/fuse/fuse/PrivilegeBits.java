package org.octofs.fuse.fuse;

import java.util.Arrays;

/**
 * What a write or truncate by an ordinary user leaves of a file's set-id bits: set-user-id goes; set-group-id goes too where
 * the group may execute, and else if the caller is no member of the file's group.
 *
 * <p>Thread-safe. Cost: the caller's further groups are not part of a request; for the last, rare case they are read from
 * /proc.
 */
public final class PrivilegeBits {
    private static final int SET_UID = 04000;
    private static final int SET_GID = 02000;
    private static final int GROUP_EXECUTE = 010;

    private PrivilegeBits() {}

    /** {@code mode} as it is after a change of contents by {@code caller}. */
    public static int afterChange(int mode, int gid, RequestContext caller) {
        int after = mode & ~SET_UID;
        if ((mode & SET_GID) != 0 && ((mode & GROUP_EXECUTE) != 0 || !isMember(gid, caller))) {
            after &= ~SET_GID;
        }
        return after;
    }

    /** Whether {@code mode} has any. */
    static boolean areIn(int mode) {
        return (mode & (SET_UID | SET_GID)) != 0;
    }

    /** Whether a chown by {@code caller} takes a set-group-id away that the group's permission to execute does not. */
    static boolean losesSetGroup(int mode, int gid, RequestContext caller) {
        return (mode & SET_GID) != 0 && (mode & GROUP_EXECUTE) == 0 && caller.uid != 0 && !isMember(gid, caller);
    }

    private static boolean isMember(int gid, RequestContext caller) {
        if (gid == caller.gid) {
            return true;
        }
        String groups = CallerProc.field(CallerProc.read(caller.pid, "status"), "Groups");
        return Arrays.asList(groups.split("\\s+", -1)).contains(Integer.toUnsignedString(gid));
    }
}
