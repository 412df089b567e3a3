package org.octofs.server.ops;

import org.octofs.rpc.protocol.FileMode;
import org.octofs.server.acl.AccessControlList;
import org.octofs.server.store.InodeRecord;
import org.octofs.server.store.MetaTransaction;

/**
 * What a new inode gets of its directory's default access control list, and of the caller's umask where there is none.
 *
 * <p>Threading: confined to the worker; one object is used again and again.
 */
public final class InheritedLists {
    private static final int PERMISSION_BITS = 0777;

    private final XattrSet set = new XattrSet();
    private AccessControlList access;
    private byte[] inherited;

    /**
     * Looks at the directory.
     *
     * @param mode of the new inode, with its type
     * @param umask permissions that the caller wants withheld; a default list takes its place
     * @return the mode that it gets
     */
    public int begin(ServerState state, InodeRecord directory, int mode, int umask) {
        access = null;
        inherited = null;
        if (FileMode.isSymlink(mode)) {
            return mode;
        }
        AccessControlList list = defaultOf(state, directory);
        if (list == null) {
            return mode & ~(umask & PERMISSION_BITS);
        }
        inherited = FileMode.isDirectory(mode) ? list.value() : null;
        list.restrictTo(mode);
        access = list.isOnlyMode() ? null : list;
        return list.modeFrom(mode);
    }

    /** Whether a directory has a default list. */
    public boolean hasDefault(ServerState state, InodeRecord directory) {
        return defaultOf(state, directory) != null;
    }

    private AccessControlList defaultOf(ServerState state, InodeRecord directory) {
        if (directory.xattrRoot() == 0) {
            return null;
        }
        set.load(state, directory);
        return set.list(AccessControlList.defaultName());
    }

    /** Stages the lists of the inode that {@link #begin} was called for. */
    public void store(MetaTransaction tx, ServerState state, InodeRecord inode) {
        if (access == null && inherited == null) {
            return;
        }
        set.load(state, inode);
        if (access != null) {
            set.add(AccessControlList.accessName(), access.value());
        }
        if (inherited != null) {
            set.add(AccessControlList.defaultName(), inherited);
        }
        set.store(tx, state, inode);
    }
}
