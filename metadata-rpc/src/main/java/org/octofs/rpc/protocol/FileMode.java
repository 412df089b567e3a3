package org.octofs.rpc.protocol;

/** The bits of st_mode (inode(7)). */
public final class FileMode {
    /** Mask of the file type. */
    public static final int TYPE_MASK = 0xF000;

    /** Socket. */
    public static final int SOCKET = 0xC000;

    /** Symbolic link. */
    public static final int SYMLINK = 0xA000;

    /** Regular file. */
    public static final int REGULAR = 0x8000;

    /** Block device. */
    public static final int BLOCK_DEVICE = 0x6000;

    /** Directory. */
    public static final int DIRECTORY = 0x4000;

    /** Character device. */
    public static final int CHARACTER_DEVICE = 0x2000;

    /** Named pipe. */
    public static final int FIFO = 0x1000;

    /** Set-user-id. */
    public static final int SET_UID = 0x800;

    /** Set-group-id. */
    public static final int SET_GID = 0x400;

    /** Sticky. */
    public static final int STICKY = 0x200;

    /** Permission bits with set-id and sticky. */
    public static final int PERMISSIONS = 0xFFF;

    private FileMode() {}

    /** The type bits of {@code mode}. */
    public static int type(int mode) {
        return mode & TYPE_MASK;
    }

    /** Whether {@code mode} is a directory's. */
    public static boolean isDirectory(int mode) {
        return type(mode) == DIRECTORY;
    }

    /** Whether {@code mode} is a regular file's. */
    public static boolean isRegular(int mode) {
        return type(mode) == REGULAR;
    }

    /** Whether {@code mode} is a symbolic link's. */
    public static boolean isSymlink(int mode) {
        return type(mode) == SYMLINK;
    }

    /** The error of an operation on data, for an inode that is not a regular file. */
    public static Errno noData(int mode) {
        return isDirectory(mode) ? Errno.EISDIR : isSymlink(mode) ? Errno.ELOOP : Errno.ENXIO;
    }
}
