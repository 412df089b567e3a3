package org.octofs.rpc.protocol;

/** Flags of SETXATTR: those of setxattr(2), and two of our own. */
public final class XattrFlags {
    /** The attribute must not exist. */
    public static final int CREATE = 1;

    /** The attribute must exist. */
    public static final int REPLACE = 2;

    /** With an access control list: take set-group-id from the mode. */
    public static final int KILL_SET_GID = 1 << 16;

    /** With a default access control list: the directory is new, and gets the list that is checked from it too. */
    public static final int INHERIT = 1 << 17;

    private XattrFlags() {}
}
