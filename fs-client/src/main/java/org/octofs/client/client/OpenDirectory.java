package org.octofs.client.client;

/** A directory that is being listed. Thread-safe; holds nothing at the server. */
public final class OpenDirectory {
    private final long ino;
    private final long parentIno;
    private final Attributes attributes;

    OpenDirectory(long ino, long parentIno, Attributes attributes) {
        this.ino = ino;
        this.parentIno = parentIno;
        this.attributes = attributes;
    }

    /** As they were when it was opened; not to be changed. */
    public Attributes attributes() {
        return attributes;
    }

    /** Inode number of the directory, that of ".". */
    public long ino() {
        return ino;
    }

    /** Inode number of its parent when it was opened, that of "..". */
    public long parentIno() {
        return parentIno;
    }
}
