package org.octofs.fuse.memory;

import static org.octofs.fuse.fuse.LinuxErrno.EEXIST;
import static org.octofs.fuse.fuse.LinuxErrno.EFBIG;
import static org.octofs.fuse.fuse.LinuxErrno.EINVAL;
import static org.octofs.fuse.fuse.LinuxErrno.ENODATA;
import static org.octofs.fuse.fuse.LinuxErrno.ENOENT;
import static org.octofs.fuse.fuse.LinuxErrno.ENOSYS;
import static org.octofs.fuse.fuse.LinuxErrno.ENOTDIR;
import static org.octofs.fuse.fuse.LinuxErrno.ENOTEMPTY;
import static org.octofs.fuse.fuse.LinuxErrno.ESTALE;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.octofs.fuse.fuse.AttributesChange;
import org.octofs.fuse.fuse.AttributesReply;
import org.octofs.fuse.fuse.BytesInPlace;
import org.octofs.fuse.fuse.BytesReply;
import org.octofs.fuse.fuse.DirectoryBuffer;
import org.octofs.fuse.fuse.EntryReply;
import org.octofs.fuse.fuse.EntrySink;
import org.octofs.fuse.fuse.FuseOperations;
import org.octofs.fuse.fuse.LockRange;
import org.octofs.fuse.fuse.OpenReply;
import org.octofs.fuse.fuse.RequestContext;
import org.octofs.fuse.fuse.StatisticsReply;

/**
 * What tests/bench/peers/memfs.c does, operation for operation, so that a binding can be measured beside libfuse in C: files are
 * regions of memory, the kernel may keep everything for ever, nothing else is clever. Not a model of POSIX: {@link
 * MemoryFileSystem} is.
 *
 * <p>Thread-safe.
 */
public final class RegionFileSystem implements FuseOperations {
    static final int TYPE_MASK = 0xF000;
    static final int DIRECTORY = 0x4000;
    static final long FILE_BYTES_MAX = 1L << 32;
    private static final int REGULAR = 0x8000;
    private static final double FOR_EVER_SECONDS = 3600;
    private static final long COOKIE_STEP = 1;

    private record Key(long parent, ByteBuffer name) {}

    private record Place(RegionNode node, long cookie) {}

    private final ConcurrentHashMap<Long, RegionNode> nodes = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Key, Place> names = new ConcurrentHashMap<>();
    private final AtomicLong lastInode = new AtomicLong(ROOT_INODE);
    private final ThreadLocal<EntryReply> entries = ThreadLocal.withInitial(EntryReply::new);

    public RegionFileSystem() {
        nodes.put((long) ROOT_INODE, new RegionNode(ROOT_INODE, DIRECTORY | 0777, 0, 0));
    }

    private static Key key(long parent, byte[] name) {
        return new Key(parent, ByteBuffer.wrap(name));
    }

    private static void answer(RegionNode node, EntryReply out) {
        node.copyTo(out.attributes);
        out.generation = 0;
        out.attributesTimeoutSeconds = FOR_EVER_SECONDS;
        out.entryTimeoutSeconds = FOR_EVER_SECONDS;
    }

    @Override
    public int lookup(RequestContext context, long parent, byte[] name, EntryReply out) {
        Place found = names.get(key(parent, name));
        if (found == null) {
            return -ENOENT;
        }
        answer(found.node, out);
        return 0;
    }

    /** Of a node without a name; as in C it stays, the kernel may know its number. */
    @Override
    public void forget(long inode, long lookups) {
        RegionNode node = nodes.get(inode);
        if (node != null && node.linkCount == 0 && node.opens.get() == 0) {
            nodes.remove(inode);
        }
    }

    private int make(RequestContext context, long parent, byte[] name, int mode, EntryReply out) {
        RegionNode directory = nodes.get(parent);
        if (directory == null || directory.children == null) {
            return directory == null ? -ESTALE : -ENOTDIR;
        }
        RegionNode node = new RegionNode(lastInode.incrementAndGet(), mode & ~context.umask, context.uid, context.gid);
        long cookie = directory.lastCookie.addAndGet(COOKIE_STEP);
        if (names.putIfAbsent(key(parent, name), new Place(node, cookie)) != null) {
            return -EEXIST;
        }
        nodes.put(node.inode, node);
        directory.children.put(cookie, new RegionNode.Entry(name, node));
        answer(node, out);
        return 0;
    }

    @Override
    public int mknod(RequestContext context, long parent, byte[] name, int mode, long device, EntryReply out) {
        return make(context, parent, name, mode, out);
    }

    @Override
    public int mkdir(RequestContext context, long parent, byte[] name, int mode, EntryReply out) {
        return make(context, parent, name, DIRECTORY | mode, out);
    }

    @Override
    public int create(
            RequestContext context, long parent, byte[] name, int mode, int flags, EntryReply entry, OpenReply open) {
        int result = make(context, parent, name, REGULAR | mode, entry);
        return result == 0 ? open(context, entry.attributes.inode, flags, open) : result;
    }

    @Override
    public int open(RequestContext context, long inode, int flags, OpenReply out) {
        RegionNode node = nodes.get(inode);
        if (node == null) {
            return -ESTALE;
        }
        node.opens.incrementAndGet();
        out.handle = inode;
        out.keepCache = true;
        return 0;
    }

    @Override
    public int release(RequestContext context, long inode, long handle, int openFlags) {
        RegionNode node = nodes.get(inode);
        node.opens.decrementAndGet();
        node.dropDataIfUnused();
        return 0;
    }

    private int remove(long parent, byte[] name, boolean directory) {
        Place place = names.get(key(parent, name));
        if (place == null) {
            return -ENOENT;
        }
        if (directory && !place.node.children.isEmpty()) {
            return -ENOTEMPTY;
        }
        if (names.remove(key(parent, name), place)) {
            nodes.get(parent).children.remove(place.cookie);
            place.node.linkCount = 0;
            place.node.dropDataIfUnused();
        }
        return 0;
    }

    @Override
    public int unlink(RequestContext context, long parent, byte[] name) {
        return remove(parent, name, false);
    }

    @Override
    public int rmdir(RequestContext context, long parent, byte[] name) {
        return remove(parent, name, true);
    }

    @Override
    public int rename(RequestContext context, long parent, byte[] name, long newParent, byte[] newName, int flags) {
        return -EINVAL;
    }

    @Override
    public int getattr(RequestContext context, long inode, long handle, AttributesReply out) {
        RegionNode node = nodes.get(inode);
        if (node == null) {
            return -ESTALE;
        }
        node.copyTo(out.attributes);
        out.timeoutSeconds = FOR_EVER_SECONDS;
        return 0;
    }

    @Override
    public int setattr(RequestContext context, long inode, long handle, AttributesChange change, AttributesReply out) {
        RegionNode node = nodes.get(inode);
        if (node == null) {
            return -ESTALE;
        }
        if (change.has(AttributesChange.MODE)) {
            node.mode = change.mode;
        }
        if (change.has(AttributesChange.SIZE)) {
            if (change.sizeBytes > FILE_BYTES_MAX) {
                return -EFBIG;
            }
            node.size.set(change.sizeBytes);
        }
        return getattr(context, inode, handle, out);
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
        RegionNode node = nodes.get(inode);
        MemorySegment data = node.data();
        int count = (int) Math.min(size, node.size.get() - offset);
        if (data == null || count <= 0) {
            return 0;
        }
        MemorySegment.copy(data, offset, target, targetOffset, count);
        return count;
    }

    @Override
    public boolean readsInPlace() {
        return true;
    }

    @Override
    public int readInPlace(RequestContext context, long inode, long handle, long offset, int size, BytesInPlace out) {
        RegionNode node = nodes.get(inode);
        MemorySegment data = node.data();
        int count = (int) Math.min(size, node.size.get() - offset);
        if (data == null || count <= 0) {
            return 0;
        }
        out.memory = data;
        out.offset = offset;
        return count;
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
        if (offset + size > FILE_BYTES_MAX) {
            return -EFBIG;
        }
        RegionNode node = nodes.get(inode);
        RegionMemory.copy(source, sourceOffset, node.dataForWriting(), offset, size);
        long end = offset + size;
        for (long before = node.size.get(); before < end && !node.size.compareAndSet(before, end); ) {
            before = node.size.get();
        }
        return size;
    }

    @Override
    public int flush(RequestContext context, long inode, long handle, long lockOwner) {
        return -ENOSYS;
    }

    @Override
    public int fsync(RequestContext context, long inode, long handle, boolean dataOnly) {
        return 0;
    }

    @Override
    public int opendir(RequestContext context, long inode, int flags, OpenReply out) {
        out.handle = inode;
        return 0;
    }

    @Override
    public int readdir(RequestContext context, long inode, long handle, long cookie, DirectoryBuffer out) {
        for (Map.Entry<Long, RegionNode.Entry> child :
                nodes.get(inode).children.tailMap(cookie, false).entrySet()) {
            RegionNode.Entry entry = child.getValue();
            if (!out.add(entry.node().inode, entry.node().mode, entry.name(), child.getKey())) {
                break;
            }
        }
        return 0;
    }

    @Override
    public boolean listsWithAttributes() {
        return true;
    }

    @Override
    public int readdirplus(RequestContext context, long inode, long handle, long cookie, EntrySink out) {
        EntryReply reply = entries.get();
        for (Map.Entry<Long, RegionNode.Entry> child :
                nodes.get(inode).children.tailMap(cookie, false).entrySet()) {
            RegionNode.Entry entry = child.getValue();
            answer(entry.node(), reply);
            byte[] name = entry.name();
            if (!out.add(
                    reply,
                    entry.node().inode,
                    entry.node().mode,
                    MemorySegment.ofArray(name),
                    0,
                    name.length,
                    child.getKey())) {
                break;
            }
        }
        return 0;
    }

    @Override
    public int releasedir(RequestContext context, long inode, long handle) {
        return 0;
    }

    @Override
    public int fsyncdir(RequestContext context, long inode, long handle, boolean dataOnly) {
        return 0;
    }

    @Override
    public int statfs(RequestContext context, long inode, StatisticsReply out) {
        return -ENOSYS;
    }

    @Override
    public int readlink(RequestContext context, long inode, BytesReply out) {
        return -ENOSYS;
    }

    @Override
    public int symlink(RequestContext context, long parent, byte[] name, byte[] target, EntryReply out) {
        return -ENOSYS;
    }

    @Override
    public int link(RequestContext context, long inode, long newParent, byte[] newName, EntryReply out) {
        return -ENOSYS;
    }

    @Override
    public int setxattr(RequestContext context, long inode, byte[] name, byte[] value, int flags, boolean killSetGid) {
        return -ENOSYS;
    }

    @Override
    public int getxattr(RequestContext context, long inode, byte[] name, BytesReply out) {
        return -ENOSYS;
    }

    @Override
    public int listxattr(RequestContext context, long inode, BytesReply out) {
        return -ENODATA;
    }

    @Override
    public int removexattr(RequestContext context, long inode, byte[] name) {
        return -ENOSYS;
    }

    @Override
    public int access(RequestContext context, long inode, int mask) {
        return -ENOSYS;
    }

    @Override
    public int getlk(RequestContext context, long inode, long handle, long owner, LockRange lock) {
        return -ENOSYS;
    }

    @Override
    public int setlk(RequestContext context, long inode, long handle, long owner, LockRange lock, boolean wait) {
        return -ENOSYS;
    }

    @Override
    public int flock(RequestContext context, long inode, long handle, int type, boolean wait) {
        return -ENOSYS;
    }

    @Override
    public int fallocate(RequestContext context, long inode, long handle, int mode, long offset, long length) {
        return -ENOSYS;
    }
}
