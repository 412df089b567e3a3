package org.octofs.server.txn;

import java.lang.foreign.MemorySegment;

/** A name in a directory, wherever that lives, as found under the lock, and what becomes of it. Confined to the worker. */
final class Entry {
    final long directory;
    final byte[] name;
    /** Home of the directory, -1 if that is here. */
    final int node;

    /** Here: reference in the dentry table, 0 if there is no such entry. */
    int reference;
    /** Elsewhere: pool offset of the slot, of the entry that is there or for the one to come. */
    long slotOffset;

    long cookie;
    /** What the name stands for, 0 if there is no such entry. */
    long child;

    int childType;

    /** Elsewhere: the new image, null if it stays as it is. */
    MemorySegment image;

    Entry(long directory, byte[] name, int node) {
        this.directory = directory;
        this.name = name;
        this.node = node;
    }

    boolean exists() {
        return child != 0;
    }
}
