package org.octofs.rpc.protocol.message;

/** What of an inode a client's kernel keeps. */
public final class LeaseKind {
    /** The attributes of an inode. */
    public static final int ATTRIBUTES = 1;

    /** Names of a directory that exist, and what they stand for. */
    public static final int NAMES = 2;

    private LeaseKind() {}
}
