package org.octofs.fuse.memory;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.octofs.fuse.fuse.NodeAttributes;

/** An inode. Names and counts are guarded by the file system's lock, content and attributes by the inode's monitor. */
final class MemoryNode {
    static final int TYPE_MASK = 0xF000;
    static final int DIRECTORY = 0x4000;
    static final int REGULAR = 0x8000;
    static final int SYMLINK = 0xA000;

    /** One name in a directory, its bytes as Latin-1; its cookie is its place in listings and never used again. */
    record Dentry(long cookie, String key, MemoryNode node) {
        byte[] name() {
            return key.getBytes(StandardCharsets.ISO_8859_1);
        }
    }

    final long inode;
    int mode;
    int linkCount;
    int uid;
    int gid;
    long device;
    long sizeBytes;
    long accessSeconds;
    int accessNanos;
    long modifySeconds;
    int modifyNanos;
    long changeSeconds;
    int changeNanos;

    final TreeMap<String, byte[]> extendedAttributes = new TreeMap<>();
    final SparseBytes content = new SparseBytes();
    final MemoryLocks locks = new MemoryLocks();
    byte[] target = {};

    MemoryNode parent;
    final Map<String, Dentry> byName = new HashMap<>();
    final TreeMap<Long, Dentry> byCookie = new TreeMap<>();
    /** 1 and 2 are "." and "..". */
    private long lastCookie = 2;

    int openCount;
    long lookups;

    MemoryNode(long inode, int mode, int uid, int gid) {
        this.inode = inode;
        this.mode = mode;
        this.uid = uid;
        this.gid = gid;
    }

    boolean isDirectory() {
        return (mode & TYPE_MASK) == DIRECTORY;
    }

    boolean isRegular() {
        return (mode & TYPE_MASK) == REGULAR;
    }

    void add(String key, MemoryNode node) {
        Dentry dentry = new Dentry(++lastCookie, key, node);
        byName.put(key, dentry);
        byCookie.put(dentry.cookie(), dentry);
    }

    void remove(String key) {
        byCookie.remove(byName.remove(key).cookie());
    }

    synchronized void accessed(Instant now) {
        accessSeconds = now.getEpochSecond();
        accessNanos = now.getNano();
    }

    synchronized void modified(Instant now) {
        modifySeconds = now.getEpochSecond();
        modifyNanos = now.getNano();
        changed(now);
    }

    synchronized void changed(Instant now) {
        changeSeconds = now.getEpochSecond();
        changeNanos = now.getNano();
    }

    synchronized void copyTo(NodeAttributes out) {
        out.inode = inode;
        out.mode = mode;
        out.linkCount = linkCount;
        out.uid = uid;
        out.gid = gid;
        out.device = device;
        out.sizeBytes = sizeBytes;
        out.blocks = content.pageCount() * (SparseBytes.PAGE_BYTES / 512);
        out.blockSizeBytes = SparseBytes.PAGE_BYTES;
        out.accessSeconds = accessSeconds;
        out.accessNanos = accessNanos;
        out.modifySeconds = modifySeconds;
        out.modifyNanos = modifyNanos;
        out.changeSeconds = changeSeconds;
        out.changeNanos = changeNanos;
    }
}
