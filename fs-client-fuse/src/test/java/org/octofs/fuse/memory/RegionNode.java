package org.octofs.fuse.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.octofs.fuse.fuse.NodeAttributes;

/** An inode of {@link RegionFileSystem}. */
final class RegionNode {
    final long inode;
    final ConcurrentSkipListMap<Long, Entry> children;
    final AtomicLong size = new AtomicLong();
    final AtomicLong lastCookie = new AtomicLong(2);
    final AtomicInteger opens = new AtomicInteger();
    final long seconds;
    final int nanos;
    volatile int mode;
    volatile int linkCount;
    volatile int uid;
    volatile int gid;
    private volatile Arena arena;
    private volatile MemorySegment data;

    /** A name in a directory. */
    static final class Entry {
        private final byte[] name;
        private final RegionNode node;

        Entry(byte[] name, RegionNode node) {
            this.name = name;
            this.node = node;
        }

        byte[] name() {
            return name;
        }

        RegionNode node() {
            return node;
        }
    }

    RegionNode(long inode, int mode, int uid, int gid) {
        this.inode = inode;
        this.mode = mode;
        this.uid = uid;
        this.gid = gid;
        boolean directory = (mode & RegionFileSystem.TYPE_MASK) == RegionFileSystem.DIRECTORY;
        linkCount = directory ? 2 : 1;
        children = directory ? new ConcurrentSkipListMap<>() : null;
        long now = System.currentTimeMillis();
        seconds = now / 1000;
        nanos = (int) (now % 1000) * 1_000_000;
    }

    /** Its bytes, null if it has none. */
    MemorySegment data() {
        return data;
    }

    /** Its bytes; room for {@link RegionFileSystem#FILE_BYTES_MAX} is there from the first write on. */
    MemorySegment dataForWriting() {
        MemorySegment there = data;
        return there != null ? there : makeData();
    }

    @SuppressWarnings("MustBeClosed") // dropData does
    private synchronized MemorySegment makeData() {
        if (data == null) {
            arena = Arena.ofShared();
            data = RegionMemory.reserve(arena, RegionFileSystem.FILE_BYTES_MAX);
        }
        return data;
    }

    void dropDataIfUnused() {
        if (linkCount == 0 && opens.get() == 0) {
            dropData();
        }
    }

    synchronized void dropData() {
        if (data != null) {
            data = null;
            arena.close();
        }
    }

    void copyTo(NodeAttributes out) {
        out.inode = inode;
        out.mode = mode;
        out.linkCount = linkCount;
        out.uid = uid;
        out.gid = gid;
        out.device = 0;
        out.sizeBytes = size.get();
        out.blocks = (out.sizeBytes + 511) / 512;
        out.blockSizeBytes = 4096;
        out.accessSeconds = seconds;
        out.accessNanos = nanos;
        out.modifySeconds = seconds;
        out.modifyNanos = nanos;
        out.changeSeconds = seconds;
        out.changeNanos = nanos;
        out.birthSeconds = seconds;
        out.birthNanos = nanos;
    }
}
