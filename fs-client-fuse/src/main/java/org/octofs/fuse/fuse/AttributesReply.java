package org.octofs.fuse.fuse;

/** Answer to getattr and setattr. */
public final class AttributesReply {
    public final NodeAttributes attributes = new NodeAttributes();
    /** How long the kernel may keep them without asking again; 0 is not at all. */
    public double timeoutSeconds;
}
