package org.octofs.fuse.fuse;

/** Answer to lookup and to everything that makes a name. */
public final class EntryReply {
    /** {@code attributes.inode} 0 with an answer of 0 says "no such name, and keep that for entryTimeoutSeconds". */
    public final NodeAttributes attributes = new NodeAttributes();

    /** Tells two uses of one inode number apart; 0 where numbers are never used again. */
    public long generation;

    /** How long the kernel may keep the attributes; 0 is not at all. */
    public double attributesTimeoutSeconds;

    /** How long the kernel may keep the name; 0 is not at all. */
    public double entryTimeoutSeconds;
}
