package org.octofs.fuse.kernel;

import org.octofs.fuse.fuse.AttributesChange;
import org.octofs.fuse.fuse.AttributesReply;
import org.octofs.fuse.fuse.BytesReply;
import org.octofs.fuse.fuse.EntryReply;
import org.octofs.fuse.fuse.FuseOperations;
import org.octofs.fuse.fuse.LinuxErrno;
import org.octofs.fuse.fuse.PrivilegeBits;
import org.octofs.fuse.fuse.StatisticsReply;

/**
 * Requests about names, attributes and extended attributes. Each method answers 0 or a negative errno and, with 0, has put
 * the body into the answer.
 *
 * <p>Threading: confined to its loop's thread.
 */
final class NodeRequests {
    /** FUSE_COMPAT: NAME parts follow the fixed part of the body at once. */
    private static final int NOTHING_BEFORE = 0;

    private static final int NEW_DIRECTORY_ONLY = Long.BYTES;
    private static final int GETATTR_FH = 1;
    private static final int FATTR_FH = 1 << 6;
    private static final int FATTR_KILL_SUIDGID = 1 << 11;
    private static final int CHANGES = AttributesChange.MODE
            | AttributesChange.UID
            | AttributesChange.GID
            | AttributesChange.SIZE
            | AttributesChange.ACCESS_TIME
            | AttributesChange.MODIFY_TIME
            | AttributesChange.ACCESS_TIME_NOW
            | AttributesChange.MODIFY_TIME_NOW;
    private static final int PERMISSIONS = 0xFFF;
    private static final int SETXATTR_ACL_KILL_SGID = 1;
    /** Largest value of an extended attribute, and largest list of their names, as Linux has them. */
    static final int XATTR_BYTES_MAX = 65536;

    private final boolean setxattrFlags;
    private final FuseOperations operations;
    private final Request request;
    private final Answer answer;
    private final EntryReply entry = new EntryReply();
    private final AttributesReply attributes = new AttributesReply();
    private final AttributesChange change = new AttributesChange();
    private final BytesReply bytes = new BytesReply();
    private final StatisticsReply statistics = new StatisticsReply();

    /** {@code setxattrFlags}: the kernel sends the long form of SETXATTR. */
    NodeRequests(FuseOperations operations, Request request, Answer answer, boolean setxattrFlags) {
        this.setxattrFlags = setxattrFlags;
        this.operations = operations;
        this.request = request;
        this.answer = answer;
    }

    int lookup() {
        int result = operations.lookup(request, request.node(), request.string(NOTHING_BEFORE), entry);
        return entry(result);
    }

    void forget() {
        operations.forget(request.node(), request.int64(0));
    }

    void batchForget() {
        int count = request.int32(0);
        for (int i = 0; i < count; i++) {
            int at = Long.BYTES + i * 2 * Long.BYTES;
            operations.forget(request.int64(at), request.int64(at + Long.BYTES));
        }
    }

    int getattr() {
        long handle = (request.int32(KernelLayouts.GetattrIn.FLAGS_OFFSET) & GETATTR_FH) != 0
                ? request.int64(KernelLayouts.GetattrIn.FH_OFFSET)
                : 0;
        return attributes(operations.getattr(request, request.node(), handle, attributes));
    }

    /** As GETATTR, with the time of birth. */
    int statx() {
        long handle = (request.int32(KernelLayouts.StatxIn.GETATTR_FLAGS_OFFSET) & GETATTR_FH) != 0
                ? request.int64(KernelLayouts.StatxIn.FH_OFFSET)
                : 0;
        int result = operations.getattr(request, request.node(), handle, attributes);
        if (result == 0) {
            answer.statx(attributes);
        }
        return result;
    }

    int setattr() {
        int valid = request.int32(KernelLayouts.SetattrIn.VALID_OFFSET);
        long handle = (valid & FATTR_FH) != 0 ? request.int64(KernelLayouts.SetattrIn.FH_OFFSET) : 0;
        change.mask = valid & CHANGES;
        change.mode = request.int32(KernelLayouts.SetattrIn.MODE_OFFSET);
        change.uid = request.int32(KernelLayouts.SetattrIn.UID_OFFSET);
        change.gid = request.int32(KernelLayouts.SetattrIn.GID_OFFSET);
        change.sizeBytes = request.int64(KernelLayouts.SetattrIn.SIZE_OFFSET);
        change.accessSeconds = request.int64(KernelLayouts.SetattrIn.ATIME_OFFSET);
        change.accessNanos = request.int32(KernelLayouts.SetattrIn.ATIME_NSEC_OFFSET);
        change.modifySeconds = request.int64(KernelLayouts.SetattrIn.MTIME_OFFSET);
        change.modifyNanos = request.int32(KernelLayouts.SetattrIn.MTIME_NSEC_OFFSET);
        // With a chown it comes whoever calls, and who may keep what is another rule.
        if ((valid & FATTR_KILL_SUIDGID) != 0
                && !change.has(AttributesChange.MODE | AttributesChange.UID | AttributesChange.GID)) {
            addClearedMode(handle);
        }
        return attributes(operations.setattr(request, request.node(), handle, change, attributes));
    }

    /** Clears what a write or truncate by an ordinary user clears; part of FUSE_HANDLE_KILLPRIV_V2. */
    void killPrivileges(long handle) {
        change.mask = 0;
        addClearedMode(handle);
        if (change.mask != 0) {
            operations.setattr(request, request.node(), handle, change, attributes);
        }
    }

    private void addClearedMode(long handle) {
        if (operations.getattr(request, request.node(), handle, attributes) != 0) {
            return;
        }
        int mode = attributes.attributes.mode;
        int cleared = PrivilegeBits.afterChange(mode, attributes.attributes.gid, request);
        if (cleared != mode) {
            change.mask |= AttributesChange.MODE;
            change.mode = cleared & PERMISSIONS;
        }
    }

    int readlink() {
        int result = operations.readlink(request, request.node(), bytes);
        if (result == 0) {
            answer.bytes(bytes.get());
        }
        return result;
    }

    int symlink() {
        byte[] name = request.string(NOTHING_BEFORE);
        byte[] target = request.string(name.length + 1);
        return entry(operations.symlink(request, request.node(), name, target, entry));
    }

    int mknod() {
        request.umask = request.int32(KernelLayouts.MknodIn.UMASK_OFFSET);
        return entry(operations.mknod(
                request,
                request.node(),
                request.string(KernelLayouts.MknodIn.SIZE_BYTES),
                request.int32(KernelLayouts.MknodIn.MODE_OFFSET),
                request.int32(KernelLayouts.MknodIn.RDEV_OFFSET) & 0xFFFF_FFFFL,
                entry));
    }

    int mkdir() {
        request.umask = request.int32(KernelLayouts.MkdirIn.UMASK_OFFSET);
        return entry(operations.mkdir(
                request,
                request.node(),
                request.string(KernelLayouts.MkdirIn.SIZE_BYTES),
                request.int32(KernelLayouts.MkdirIn.MODE_OFFSET),
                entry));
    }

    int unlink() {
        return operations.unlink(request, request.node(), request.string(NOTHING_BEFORE));
    }

    int rmdir() {
        return operations.rmdir(request, request.node(), request.string(NOTHING_BEFORE));
    }

    int rename() {
        return rename(NEW_DIRECTORY_ONLY, 0);
    }

    int rename2() {
        return rename(KernelLayouts.Rename2In.SIZE_BYTES, request.int32(KernelLayouts.Rename2In.FLAGS_OFFSET));
    }

    private int rename(int namesAt, int flags) {
        byte[] name = request.string(namesAt);
        byte[] newName = request.string(namesAt + name.length + 1);
        long newDirectory = request.int64(KernelLayouts.Rename2In.NEW_DIRECTORY_OFFSET);
        return operations.rename(request, request.node(), name, newDirectory, newName, flags);
    }

    int link() {
        return entry(operations.link(request, request.int64(0), request.node(), request.string(Long.BYTES), entry));
    }

    int statfs() {
        int result = operations.statfs(request, request.node(), statistics);
        if (result == 0) {
            answer.statistics(statistics);
        }
        return result;
    }

    int setxattr() {
        int fixed = setxattrFlags ? KernelLayouts.SetxattrIn.SIZE_BYTES : KernelLayouts.XattrIn.SIZE_BYTES;
        byte[] name = request.string(fixed);
        int length = request.int32(KernelLayouts.XattrIn.SIZE_OFFSET);
        byte[] value = request.bytes(fixed + name.length + 1, length);
        boolean killSetGid = setxattrFlags
                && (request.int32(KernelLayouts.SetxattrIn.SETXATTR_FLAGS_OFFSET) & SETXATTR_ACL_KILL_SGID) != 0;
        return operations.setxattr(
                request, request.node(), name, value, request.int32(KernelLayouts.XattrIn.FLAGS_OFFSET), killSetGid);
    }

    int getxattr() {
        byte[] name = request.string(KernelLayouts.XattrIn.SIZE_BYTES);
        return sized(operations.getxattr(request, request.node(), name, bytes));
    }

    int listxattr() {
        return sized(operations.listxattr(request, request.node(), bytes));
    }

    int removexattr() {
        return operations.removexattr(request, request.node(), request.string(NOTHING_BEFORE));
    }

    int access() {
        return operations.access(request, request.node(), request.int32(0));
    }

    private int entry(int result) {
        if (result == 0) {
            answer.entry(entry);
        }
        return result;
    }

    private int attributes(int result) {
        if (result == 0) {
            answer.attributes(attributes);
        }
        return result;
    }

    /** The value, or with size 0 only its length; ERANGE if it is longer than asked for. */
    private int sized(int result) {
        if (result != 0) {
            return result;
        }
        int size = request.size(KernelLayouts.XattrIn.SIZE_OFFSET, Integer.MAX_VALUE);
        byte[] value = bytes.get();
        if (size == 0) {
            answer.count(value.length);
            return 0;
        }
        if (value.length > size || value.length > XATTR_BYTES_MAX) {
            return -LinuxErrno.ERANGE;
        }
        answer.bytes(value);
        return 0;
    }
}
