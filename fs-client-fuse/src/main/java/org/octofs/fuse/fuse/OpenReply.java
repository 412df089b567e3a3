package org.octofs.fuse.fuse;

/** Answer to open, create and opendir. The binding clears it before each call. */
public final class OpenReply {
    /** Never 0 when the call succeeded. */
    public long handle;
    /** Reads and writes of this handle pass by the kernel's page cache. */
    public boolean directIo;
    /** Pages that the kernel has of this inode are still right. */
    public boolean keepCache;

    public void clear() {
        handle = 0;
        directIo = false;
        keepCache = false;
    }
}
