package org.octofs.fuse.memory;

import static org.octofs.fuse.fuse.LinuxErrno.EEXIST;
import static org.octofs.fuse.fuse.LinuxErrno.EINVAL;
import static org.octofs.fuse.fuse.LinuxErrno.EISDIR;
import static org.octofs.fuse.fuse.LinuxErrno.ENAMETOOLONG;
import static org.octofs.fuse.fuse.LinuxErrno.ENOENT;
import static org.octofs.fuse.fuse.LinuxErrno.ENOTDIR;
import static org.octofs.fuse.fuse.LinuxErrno.ENOTEMPTY;
import static org.octofs.fuse.fuse.LinuxErrno.EPERM;
import static org.octofs.fuse.fuse.LinuxErrno.ESTALE;

import java.lang.foreign.MemorySegment;
import java.time.InstantSource;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.octofs.fuse.fuse.AttributesChange;
import org.octofs.fuse.fuse.AttributesReply;
import org.octofs.fuse.fuse.BytesReply;
import org.octofs.fuse.fuse.DirectoryBuffer;
import org.octofs.fuse.fuse.EntryReply;
import org.octofs.fuse.fuse.EntrySink;
import org.octofs.fuse.fuse.OpenReply;
import org.octofs.fuse.fuse.RequestContext;

/**
 * The names and attributes of the file system in memory; {@link MemoryFiles} has the open files.
 *
 * <p>Threading: names under one read-write lock, content under each inode's monitor. May be mounted several times at once:
 * the mounts are then what several clients are.
 */
public final class MemoryFileSystem extends MemoryXattrs {
    private static final int NAME_BYTES_MAX = 255;
    private static final int O_EXCL = 0x80;
    private static final int SET_GROUP_ID = 02000;
    private static final int SET_USER_ID = 04000;

    private final ReentrantReadWriteLock names = new ReentrantReadWriteLock();
    private final ConcurrentHashMap<Long, MemoryNode> nodes = new ConcurrentHashMap<>();
    private final AtomicLong lastInode = new AtomicLong(ROOT_INODE);

    public MemoryFileSystem(InstantSource clock, long capacityBytes) {
        super(clock, capacityBytes);
        MemoryNode root = new MemoryNode(ROOT_INODE, MemoryNode.DIRECTORY | 0755, 0, 0);
        root.linkCount = 2;
        root.parent = root;
        root.modified(clock.instant());
        root.accessed(clock.instant());
        nodes.put(root.inode, root);
    }

    @Override
    MemoryNode node(long inode) {
        return nodes.get(inode);
    }

    @Override
    long inodeCount() {
        return nodes.size();
    }

    /** An inode that no name, no descriptor and no kernel knows is gone. */
    @Override
    void dropIfUnused(MemoryNode node) {
        synchronized (node) {
            if (node.linkCount > 0 || node.openCount > 0 || node.lookups > 0) {
                return;
            }
            usedPages(-node.content.pageCount());
            node.content.clear();
            nodes.remove(node.inode);
        }
    }

    private static void answer(MemoryNode node, EntryReply out) {
        node.lookups++;
        node.copyTo(out.attributes);
    }

    private int inDirectory(long parent, byte[] name, NameAction action) {
        if (name.length > NAME_BYTES_MAX) {
            return -ENAMETOOLONG;
        }
        names.writeLock().lock();
        try {
            MemoryNode directory = node(parent);
            if (directory == null || directory.linkCount == 0) {
                return -ENOENT;
            }
            if (!directory.isDirectory()) {
                return -ENOTDIR;
            }
            return action.run(directory, key(name));
        } finally {
            names.writeLock().unlock();
        }
    }

    private interface NameAction {
        int run(MemoryNode directory, String key);
    }

    @Override
    public int lookup(RequestContext context, long parent, byte[] name, EntryReply out) {
        return inDirectory(parent, name, (directory, key) -> {
            MemoryNode found = switch (key) {
                case "." -> directory;
                case ".." -> directory.parent;
                default ->
                    directory.byName.containsKey(key)
                            ? directory.byName.get(key).node()
                            : null;
            };
            if (found == null) {
                return -ENOENT;
            }
            answer(found, out);
            return 0;
        });
    }

    @Override
    public void forget(long inode, long lookups) {
        names.writeLock().lock();
        try {
            MemoryNode node = node(inode);
            if (node != null) {
                node.lookups -= lookups;
                dropIfUnused(node);
            }
        } finally {
            names.writeLock().unlock();
        }
    }

    @Override
    public int getattr(RequestContext context, long inode, long handle, AttributesReply out) {
        MemoryNode node = node(inode);
        if (node == null) {
            return -ENOENT;
        }
        node.copyTo(out.attributes);
        return 0;
    }

    @Override
    public int setattr(RequestContext context, long inode, long handle, AttributesChange change, AttributesReply out) {
        MemoryNode node = node(inode);
        if (node == null) {
            return -ENOENT;
        }
        synchronized (node) {
            if (change.has(AttributesChange.UID | AttributesChange.GID) && !node.isDirectory()) {
                node.mode &= ~(SET_USER_ID | SET_GROUP_ID);
            }
            if (change.has(AttributesChange.MODE)) {
                node.mode = (node.mode & MemoryNode.TYPE_MASK) | (change.mode & 07777);
            }
            if (change.has(AttributesChange.UID)) {
                node.uid = change.uid;
            }
            if (change.has(AttributesChange.GID)) {
                node.gid = change.gid;
            }
            if (change.has(AttributesChange.SIZE)) {
                truncate(node, change.sizeBytes);
            }
            if (change.has(AttributesChange.ACCESS_TIME_NOW)) {
                node.accessed(clock.instant());
            } else if (change.has(AttributesChange.ACCESS_TIME)) {
                node.accessSeconds = change.accessSeconds;
                node.accessNanos = change.accessNanos;
            }
            if (change.has(AttributesChange.MODIFY_TIME_NOW)) {
                node.modified(clock.instant());
            } else if (change.has(AttributesChange.MODIFY_TIME)) {
                node.modifySeconds = change.modifySeconds;
                node.modifyNanos = change.modifyNanos;
            }
            node.changed(clock.instant());
            node.copyTo(out.attributes);
        }
        return 0;
    }

    @Override
    public int readlink(RequestContext context, long inode, BytesReply out) {
        MemoryNode node = node(inode);
        if (node == null) {
            return -ENOENT;
        }
        out.set(node.target);
        return 0;
    }

    private MemoryNode make(RequestContext context, MemoryNode directory, byte[] name, int mode) {
        boolean groupOfDirectory = (directory.mode & SET_GROUP_ID) != 0;
        MemoryNode node = new MemoryNode(
                lastInode.incrementAndGet(), mode, context.uid, groupOfDirectory ? directory.gid : context.gid);
        node.linkCount = 1;
        if (node.isDirectory()) {
            node.linkCount = 2;
            node.parent = directory;
            directory.linkCount++;
            if (groupOfDirectory) {
                node.mode |= SET_GROUP_ID;
            }
        }
        node.modified(clock.instant());
        node.accessed(clock.instant());
        directory.add(key(name), node);
        directory.modified(clock.instant());
        nodes.put(node.inode, node);
        return node;
    }

    @Override
    public int mknod(RequestContext context, long parent, byte[] name, int mode, long device, EntryReply out) {
        return inDirectory(parent, name, (directory, key) -> {
            if (directory.byName.containsKey(key)) {
                return -EEXIST;
            }
            MemoryNode node = make(context, directory, name, mode);
            node.device = device;
            answer(node, out);
            return 0;
        });
    }

    @Override
    public int mkdir(RequestContext context, long parent, byte[] name, int mode, EntryReply out) {
        return mknod(context, parent, name, (mode & 07777) | MemoryNode.DIRECTORY, 0, out);
    }

    @Override
    public int symlink(RequestContext context, long parent, byte[] name, byte[] target, EntryReply out) {
        return inDirectory(parent, name, (directory, key) -> {
            if (directory.byName.containsKey(key)) {
                return -EEXIST;
            }
            MemoryNode node = make(context, directory, name, MemoryNode.SYMLINK | 0777);
            node.target = target;
            node.sizeBytes = target.length;
            answer(node, out);
            return 0;
        });
    }

    @Override
    public int create(
            RequestContext context, long parent, byte[] name, int mode, int flags, EntryReply entry, OpenReply open) {
        return inDirectory(parent, name, (directory, key) -> {
            MemoryNode.Dentry there = directory.byName.get(key);
            if (there != null && (flags & O_EXCL) != 0) {
                return -EEXIST;
            }
            if (there != null && !there.node().isRegular()) {
                // Made by somebody else since the kernel looked: let it look again.
                return there.node().isDirectory() ? -EISDIR : -ESTALE;
            }
            MemoryNode node =
                    there != null ? there.node() : make(context, directory, name, (mode & 07777) | MemoryNode.REGULAR);
            answer(node, entry);
            open(node, flags, open);
            return 0;
        });
    }

    private int removeName(long parent, byte[] name, boolean wantDirectory) {
        return inDirectory(parent, name, (directory, key) -> {
            MemoryNode.Dentry there = directory.byName.get(key);
            if (there == null) {
                return -ENOENT;
            }
            MemoryNode node = there.node();
            if (node.isDirectory() != wantDirectory) {
                return wantDirectory ? -ENOTDIR : -EISDIR;
            }
            if (!node.byName.isEmpty()) {
                return -ENOTEMPTY;
            }
            directory.remove(key);
            directory.modified(clock.instant());
            unlinked(directory, node);
            return 0;
        });
    }

    private void unlinked(MemoryNode directory, MemoryNode node) {
        synchronized (node) {
            node.linkCount = node.isDirectory() ? 0 : node.linkCount - 1;
            node.changed(clock.instant());
        }
        if (node.isDirectory()) {
            directory.linkCount--;
        }
        dropIfUnused(node);
    }

    @Override
    public int unlink(RequestContext context, long parent, byte[] name) {
        return removeName(parent, name, false);
    }

    @Override
    public int rmdir(RequestContext context, long parent, byte[] name) {
        return removeName(parent, name, true);
    }

    @Override
    public int rename(RequestContext context, long parent, byte[] name, long newParent, byte[] newName, int flags) {
        if (flags != 0) {
            return -EINVAL;
        }
        if (newName.length > NAME_BYTES_MAX) {
            return -ENAMETOOLONG;
        }
        return inDirectory(parent, name, (directory, key) -> {
            MemoryNode newDirectory = node(newParent);
            MemoryNode.Dentry there = directory.byName.get(key);
            if (there == null || newDirectory == null || newDirectory.linkCount == 0) {
                return -ENOENT;
            }
            MemoryNode node = there.node();
            MemoryNode.Dentry old = newDirectory.byName.get(key(newName));
            for (MemoryNode above = newDirectory; above.parent != above; above = above.parent) {
                if (above == node) {
                    return -EINVAL;
                }
            }
            if (old != null) {
                if (old.node() == node) {
                    return 0;
                }
                if (old.node().isDirectory() != node.isDirectory()) {
                    return node.isDirectory() ? -ENOTDIR : -EISDIR;
                }
                if (!old.node().byName.isEmpty()) {
                    return -ENOTEMPTY;
                }
                newDirectory.remove(key(newName));
                unlinked(newDirectory, old.node());
            }
            directory.remove(key);
            newDirectory.add(key(newName), node);
            if (node.isDirectory()) {
                directory.linkCount--;
                newDirectory.linkCount++;
                node.parent = newDirectory;
            }
            directory.modified(clock.instant());
            newDirectory.modified(clock.instant());
            node.changed(clock.instant());
            return 0;
        });
    }

    @Override
    public int link(RequestContext context, long inode, long newParent, byte[] newName, EntryReply out) {
        return inDirectory(newParent, newName, (directory, key) -> {
            MemoryNode node = node(inode);
            if (node == null || node.linkCount == 0) {
                return -ENOENT;
            }
            if (node.isDirectory()) {
                return -EPERM;
            }
            if (directory.byName.containsKey(key)) {
                return -EEXIST;
            }
            directory.add(key, node);
            directory.modified(clock.instant());
            synchronized (node) {
                node.linkCount++;
                node.changed(clock.instant());
            }
            answer(node, out);
            return 0;
        });
    }

    @Override
    public int opendir(RequestContext context, long inode, int flags, OpenReply out) {
        out.handle = newHandle();
        return node(inode) == null ? -ENOENT : 0;
    }

    @Override
    public int releasedir(RequestContext context, long inode, long handle) {
        return 0;
    }

    @Override
    public int readdir(RequestContext context, long inode, long handle, long cookie, DirectoryBuffer out) {
        names.readLock().lock();
        try {
            MemoryNode node = node(inode);
            if (node == null) {
                return -ENOENT;
            }
            if ((cookie < 1 && !out.add(inode, MemoryNode.DIRECTORY, new byte[] {'.'}, 1))
                    || (cookie < 2 && !out.add(node.parent.inode, MemoryNode.DIRECTORY, new byte[] {'.', '.'}, 2))) {
                return 0;
            }
            for (MemoryNode.Dentry dentry : node.byCookie.tailMap(cookie, false).values()) {
                if (!out.add(dentry.node().inode, dentry.node().mode, dentry.name(), dentry.cookie())) {
                    break;
                }
            }
            return 0;
        } finally {
            names.readLock().unlock();
        }
    }

    @Override
    public boolean listsWithAttributes() {
        return true;
    }

    /** Every tenth entry comes without attributes, as some of a real file system do. */
    @Override
    public int readdirplus(RequestContext context, long inode, long handle, long cookie, EntrySink out) {
        names.writeLock().lock();
        try {
            MemoryNode node = node(inode);
            if (node == null) {
                return -ENOENT;
            }
            EntryReply reply = new EntryReply();
            for (MemoryNode.Dentry dentry : node.byCookie.tailMap(cookie, false).values()) {
                MemoryNode child = dentry.node();
                boolean counted = dentry.cookie() % 10 != 0;
                child.copyTo(reply.attributes);
                if (!out.add(
                        counted ? reply : null,
                        child.inode,
                        child.mode,
                        MemorySegment.ofArray(dentry.name()),
                        0,
                        dentry.name().length,
                        dentry.cookie())) {
                    break;
                }
                child.lookups += counted ? 1 : 0;
            }
            return 0;
        } finally {
            names.writeLock().unlock();
        }
    }

    /** Look-ups of the kernel that it has not forgotten, of all inodes but the root. */
    public long lookups() {
        return nodes.values().stream()
                .filter(node -> node.inode != ROOT_INODE)
                .mapToLong(node -> node.lookups)
                .sum();
    }
}
