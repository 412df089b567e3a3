package org.octofs.fuse.memory;

import static org.octofs.fuse.fuse.LinuxErrno.EFBIG;
import static org.octofs.fuse.fuse.LinuxErrno.EINVAL;
import static org.octofs.fuse.fuse.LinuxErrno.EISDIR;
import static org.octofs.fuse.fuse.LinuxErrno.ENOSPC;
import static org.octofs.fuse.fuse.LinuxErrno.EOPNOTSUPP;
import static org.octofs.fuse.fuse.LinuxErrno.ESTALE;

import java.lang.foreign.MemorySegment;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import org.octofs.fuse.fuse.FuseOperations;
import org.octofs.fuse.fuse.LockRange;
import org.octofs.fuse.fuse.OpenReply;
import org.octofs.fuse.fuse.RequestContext;
import org.octofs.fuse.fuse.StatisticsReply;

/** Open files of the file system in memory: data, space, locks. A handle is only a number: every call names the inode too. */
abstract class MemoryFiles implements FuseOperations {
    static final int O_TRUNC = 0x200;
    static final int O_APPEND = 0x400;
    private static final int FALLOC_KEEP_SIZE = 1;
    private static final int FALLOC_PUNCH_HOLE = 2;
    private static final int FALLOC_ZERO_RANGE = 16;
    private static final long INODE_COUNT_MAX = 1L << 32;

    final InstantSource clock;
    private final long capacityPages;
    private final AtomicLong usedPages = new AtomicLong();
    private final AtomicLong lastHandle = new AtomicLong();

    MemoryFiles(InstantSource clock, long capacityBytes) {
        this.clock = clock;
        capacityPages = capacityBytes / SparseBytes.PAGE_BYTES;
    }

    abstract MemoryNode node(long inode);

    abstract long inodeCount();

    abstract void dropIfUnused(MemoryNode node);

    void usedPages(long difference) {
        usedPages.addAndGet(difference);
    }

    final long newHandle() {
        return lastHandle.incrementAndGet();
    }

    private boolean hasRoom(long bytes) {
        return usedPages.get() + bytes / SparseBytes.PAGE_BYTES < capacityPages;
    }

    final void open(MemoryNode node, int flags, OpenReply out) {
        synchronized (node) {
            node.openCount++;
            if ((flags & O_TRUNC) != 0) {
                truncate(node, 0);
                node.modified(clock.instant());
            }
        }
        out.handle = newHandle();
        // The kernel's idea of the end of the file may be old; appends go where the file system says.
        out.directIo = (flags & O_APPEND) != 0;
    }

    /** Called with the inode's monitor held. */
    final void truncate(MemoryNode node, long size) {
        long before = node.content.pageCount();
        if (size < node.sizeBytes) {
            node.content.truncate(size);
        }
        node.sizeBytes = size;
        node.modified(clock.instant());
        usedPages(node.content.pageCount() - before);
    }

    @Override
    public int open(RequestContext context, long inode, int flags, OpenReply out) {
        MemoryNode node = node(inode);
        if (node == null) {
            return -ESTALE;
        }
        if (node.isDirectory()) {
            return -EISDIR;
        }
        open(node, flags, out);
        return 0;
    }

    @Override
    public int read(
            RequestContext context,
            long inode,
            long handle,
            long offset,
            MemorySegment target,
            long targetOffset,
            int size) {
        MemoryNode node = node(inode);
        synchronized (node) {
            int count = (int) Math.max(0, Math.min(size, node.sizeBytes - offset));
            node.content.read(offset, target, targetOffset, count);
            return count;
        }
    }

    @Override
    public int write(
            RequestContext context,
            long inode,
            long handle,
            long offset,
            MemorySegment source,
            long sourceOffset,
            int size,
            int openFlags,
            boolean dropPrivileges) {
        MemoryNode node = node(inode);
        if (!hasRoom(size)) {
            return -ENOSPC;
        }
        synchronized (node) {
            long at = (openFlags & O_APPEND) != 0 ? node.sizeBytes : offset;
            if (at + size < 0) {
                return -EFBIG;
            }
            long before = node.content.pageCount();
            node.content.write(at, source, sourceOffset, size);
            usedPages(node.content.pageCount() - before);
            node.sizeBytes = Math.max(node.sizeBytes, at + size);
            if (dropPrivileges) {
                node.mode &= ~06000;
            }
            node.modified(clock.instant());
            return size;
        }
    }

    @Override
    public int flush(RequestContext context, long inode, long handle, long lockOwner) {
        node(inode).locks.releasePosix(lockOwner);
        return 0;
    }

    @Override
    public int release(RequestContext context, long inode, long handle, int openFlags) {
        MemoryNode node = node(inode);
        node.locks.releaseFlock(handle);
        synchronized (node) {
            node.openCount--;
        }
        dropIfUnused(node);
        return 0;
    }

    @Override
    public int fsync(RequestContext context, long inode, long handle, boolean dataOnly) {
        return 0;
    }

    @Override
    public int fsyncdir(RequestContext context, long inode, long handle, boolean dataOnly) {
        return 0;
    }

    @Override
    public int access(RequestContext context, long inode, int mask) {
        return node(inode) == null ? -ESTALE : 0;
    }

    @Override
    public int statfs(RequestContext context, long inode, StatisticsReply out) {
        out.blockSizeBytes = SparseBytes.PAGE_BYTES;
        out.fragmentSizeBytes = SparseBytes.PAGE_BYTES;
        out.blocks = capacityPages;
        out.freeBlocks = capacityPages - usedPages.get();
        out.availableBlocks = out.freeBlocks;
        out.inodes = INODE_COUNT_MAX;
        out.freeInodes = INODE_COUNT_MAX - inodeCount();
        out.nameBytesMax = 255;
        return 0;
    }

    @Override
    public int fallocate(RequestContext context, long inode, long handle, int mode, long offset, long length) {
        MemoryNode node = node(inode);
        if (offset < 0 || length <= 0) {
            return -EINVAL;
        }
        long end = offset + length;
        if (end < 0) {
            return -EFBIG;
        }
        boolean keepSize = (mode & FALLOC_KEEP_SIZE) != 0;
        synchronized (node) {
            long before = node.content.pageCount();
            switch (mode & ~FALLOC_KEEP_SIZE) {
                case 0 -> {
                    if (!hasRoom(length)) {
                        return -ENOSPC;
                    }
                    node.content.allocate(offset, length);
                }
                case FALLOC_PUNCH_HOLE -> {
                    if (!keepSize) {
                        return -EOPNOTSUPP;
                    }
                    node.content.zero(offset, end, true);
                }
                case FALLOC_ZERO_RANGE -> node.content.zero(offset, end, false);
                default -> {
                    return -EOPNOTSUPP;
                }
            }
            usedPages(node.content.pageCount() - before);
            if (!keepSize) {
                node.sizeBytes = Math.max(node.sizeBytes, end);
            }
            node.modified(clock.instant());
            return 0;
        }
    }

    @Override
    public int getlk(RequestContext context, long inode, long handle, long owner, LockRange lock) {
        node(inode).locks.test(owner, lock);
        return 0;
    }

    @Override
    public int setlk(RequestContext context, long inode, long handle, long owner, LockRange lock, boolean wait) {
        return node(inode).locks.set(context, owner, lock, wait);
    }

    @Override
    public int flock(RequestContext context, long inode, long handle, int type, boolean wait) {
        return node(inode).locks.flock(context, handle, type, wait);
    }
}
