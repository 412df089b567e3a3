package org.octofs.fuse.memory;

import static org.octofs.fuse.fuse.LinuxErrno.EEXIST;
import static org.octofs.fuse.fuse.LinuxErrno.ENODATA;
import static org.octofs.fuse.fuse.LinuxErrno.ENOENT;
import static org.octofs.fuse.fuse.LinuxErrno.EOPNOTSUPP;
import static org.octofs.fuse.fuse.LinuxErrno.ERANGE;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import org.octofs.fuse.fuse.BytesReply;
import org.octofs.fuse.fuse.RequestContext;

/** Extended attributes of the file system in memory. */
abstract class MemoryXattrs extends MemoryFiles {
    private static final int NAME_BYTES_MAX = 255;
    private static final int XATTR_CREATE = 1;
    private static final int XATTR_REPLACE = 2;

    MemoryXattrs(InstantSource clock, long capacityBytes) {
        super(clock, capacityBytes);
    }

    static String key(byte[] name) {
        return new String(name, StandardCharsets.ISO_8859_1);
    }

    @Override
    public int setxattr(RequestContext context, long inode, byte[] name, byte[] value, int flags, boolean killSetGid) {
        String key = key(name);
        if (!key.startsWith("user.") && !key.startsWith("trusted.") && !key.startsWith("security.")) {
            return -EOPNOTSUPP;
        }
        MemoryNode node = node(inode);
        if (node == null) {
            return -ENOENT;
        }
        if (name.length > NAME_BYTES_MAX) {
            return -ERANGE;
        }
        synchronized (node) {
            boolean there = node.extendedAttributes.containsKey(key);
            if (there && (flags & XATTR_CREATE) != 0) {
                return -EEXIST;
            }
            if (!there && (flags & XATTR_REPLACE) != 0) {
                return -ENODATA;
            }
            node.extendedAttributes.put(key, value);
            node.changed(clock.instant());
        }
        return 0;
    }

    @Override
    public int getxattr(RequestContext context, long inode, byte[] name, BytesReply out) {
        MemoryNode node = node(inode);
        if (node == null) {
            return -ENOENT;
        }
        synchronized (node) {
            byte[] value = node.extendedAttributes.get(key(name));
            if (value == null) {
                return key(name).startsWith("system.") ? -EOPNOTSUPP : -ENODATA;
            }
            out.set(value);
        }
        return 0;
    }

    @Override
    public int listxattr(RequestContext context, long inode, BytesReply out) {
        MemoryNode node = node(inode);
        if (node == null) {
            return -ENOENT;
        }
        ByteArrayOutputStream list = new ByteArrayOutputStream();
        synchronized (node) {
            for (String key : node.extendedAttributes.keySet()) {
                list.writeBytes(key.getBytes(StandardCharsets.ISO_8859_1));
                list.write(0);
            }
        }
        out.set(list.toByteArray());
        return 0;
    }

    @Override
    public int removexattr(RequestContext context, long inode, byte[] name) {
        MemoryNode node = node(inode);
        if (node == null) {
            return -ENOENT;
        }
        synchronized (node) {
            if (node.extendedAttributes.remove(key(name)) == null) {
                return -ENODATA;
            }
            node.changed(clock.instant());
        }
        return 0;
    }
}
