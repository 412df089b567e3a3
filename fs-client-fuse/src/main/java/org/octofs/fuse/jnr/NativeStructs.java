package org.octofs.fuse.jnr;

import jnr.ffi.Runtime;
import ru.serce.jnrfuse.struct.FileStat;
import ru.serce.jnrfuse.struct.Flock;
import ru.serce.jnrfuse.struct.Statvfs;

/**
 * Offsets of the fields of the C structures that cross the border, all in native byte order.
 *
 * <p>Those of libc differ between processors and come from jnr-fuse's descriptions; those of libfuse 2 are the same
 * everywhere with 64-bit pointers and stand here. A test compares both with what a C compiler says.
 */
final class NativeStructs {

    // struct stat, struct flock, struct statvfs
    static final int STAT_BYTES;
    static final int STAT_INODE;
    static final int STAT_LINKS;
    static final int STAT_LINKS_BYTES;
    static final int STAT_MODE;
    static final int STAT_UID;
    static final int STAT_GID;
    static final int STAT_DEVICE;
    static final int STAT_SIZE;
    static final int STAT_BLOCK_SIZE;
    static final int STAT_BLOCK_SIZE_BYTES;
    static final int STAT_BLOCKS;
    static final int STAT_ACCESS_TIME;
    static final int STAT_MODIFY_TIME;
    static final int STAT_CHANGE_TIME;
    static final int FLOCK_BYTES;
    static final int FLOCK_TYPE;
    static final int FLOCK_WHENCE;
    static final int FLOCK_START;
    static final int FLOCK_LENGTH;
    static final int FLOCK_PID;
    static final int STATVFS_BYTES;
    static final int STATVFS_BLOCK_SIZE;
    static final int STATVFS_FRAGMENT_SIZE;
    static final int STATVFS_BLOCKS;
    static final int STATVFS_FREE;
    static final int STATVFS_AVAILABLE;
    static final int STATVFS_FILES;
    static final int STATVFS_FILES_FREE;
    static final int STATVFS_FILES_AVAILABLE;
    static final int STATVFS_NAME_MAX;

    /** Seconds are a long at 0 of a timespec, nanoseconds a long behind them. */
    static final int TIMESPEC_NANOS = Long.BYTES;

    static {
        FileStat stat = new FileStat(Runtime.getSystemRuntime());
        STAT_BYTES = jnr.ffi.Struct.size(stat);
        STAT_INODE = (int) stat.st_ino.offset();
        STAT_LINKS = (int) stat.st_nlink.offset();
        STAT_MODE = (int) stat.st_mode.offset();
        STAT_UID = (int) stat.st_uid.offset();
        STAT_GID = (int) stat.st_gid.offset();
        STAT_DEVICE = (int) stat.st_rdev.offset();
        STAT_SIZE = (int) stat.st_size.offset();
        STAT_BLOCK_SIZE = (int) stat.st_blksize.offset();
        STAT_BLOCKS = (int) stat.st_blocks.offset();
        STAT_ACCESS_TIME = (int) stat.st_atim.tv_sec.offset();
        STAT_MODIFY_TIME = (int) stat.st_mtim.tv_sec.offset();
        STAT_CHANGE_TIME = (int) stat.st_ctim.tv_sec.offset();
        // The two fields whose width differs: long on x86-64, int on aarch64.
        STAT_LINKS_BYTES = stat.st_nlink.offset() < stat.st_mode.offset() ? Long.BYTES : Integer.BYTES;
        STAT_BLOCK_SIZE_BYTES = STAT_BLOCKS - STAT_BLOCK_SIZE == Long.BYTES && STAT_LINKS_BYTES == Long.BYTES
                ? Long.BYTES
                : Integer.BYTES;

        // Of unknown place: only the offsets count.
        Flock flock = Flock.of(jnr.ffi.Pointer.wrap(Runtime.getSystemRuntime(), 0L));
        FLOCK_BYTES = jnr.ffi.Struct.size(flock);
        FLOCK_TYPE = (int) flock.l_type.offset();
        FLOCK_WHENCE = (int) flock.l_whence.offset();
        FLOCK_START = (int) flock.l_start.offset();
        FLOCK_LENGTH = (int) flock.l_len.offset();
        FLOCK_PID = (int) flock.l_pid.offset();

        Statvfs statvfs = new Statvfs(Runtime.getSystemRuntime());
        STATVFS_BYTES = jnr.ffi.Struct.size(statvfs);
        STATVFS_BLOCK_SIZE = (int) statvfs.f_bsize.offset();
        STATVFS_FRAGMENT_SIZE = (int) statvfs.f_frsize.offset();
        STATVFS_BLOCKS = (int) statvfs.f_blocks.offset();
        STATVFS_FREE = (int) statvfs.f_bfree.offset();
        STATVFS_AVAILABLE = (int) statvfs.f_bavail.offset();
        STATVFS_FILES = (int) statvfs.f_files.offset();
        STATVFS_FILES_FREE = (int) statvfs.f_ffree.offset();
        STATVFS_FILES_AVAILABLE = (int) statvfs.f_favail.offset();
        STATVFS_NAME_MAX = (int) statvfs.f_namemax.offset();
    }

    // struct fuse_entry_param
    static final int ENTRY_INODE = 0;
    static final int ENTRY_GENERATION = 8;
    static final int ENTRY_STAT = 16;
    static final int ENTRY_ATTRIBUTES_TIMEOUT = ENTRY_STAT + STAT_BYTES;
    static final int ENTRY_ENTRY_TIMEOUT = ENTRY_ATTRIBUTES_TIMEOUT + Double.BYTES;
    static final int ENTRY_BYTES = ENTRY_ENTRY_TIMEOUT + Double.BYTES;

    // struct fuse_file_info; jnr-fuse has its bits at the wrong place
    static final int FILE_FLAGS = 0;
    static final int FILE_BITS = 20;
    static final int FILE_BIT_DIRECT_IO = 1;
    static final int FILE_BIT_KEEP_CACHE = 1 << 1;
    static final int FILE_HANDLE = 24;
    static final int FILE_LOCK_OWNER = 32;
    static final int FILE_BYTES = 40;

    // struct fuse_conn_info
    static final int CONNECTION_ASYNC_READ = 8;
    static final int CONNECTION_MAX_WRITE = 12;
    static final int CONNECTION_CAPABLE = 20;
    static final int CONNECTION_WANT = 24;
    static final int CONNECTION_MAX_BACKGROUND = 28;
    static final int CONNECTION_CONGESTION = 32;
    static final int CAPABILITY_ASYNC_READ = 1;
    static final int CAPABILITY_POSIX_LOCKS = 1 << 1;
    static final int CAPABILITY_ATOMIC_TRUNCATE = 1 << 3;
    static final int CAPABILITY_EXPORT = 1 << 4;
    static final int CAPABILITY_BIG_WRITES = 1 << 5;
    static final int CAPABILITY_FLOCK = 1 << 10;

    // struct fuse_ctx
    static final int CONTEXT_UID = 0;
    static final int CONTEXT_GID = 4;
    static final int CONTEXT_PID = 8;
    static final int CONTEXT_UMASK = 12;

    // struct fuse_write_in of the kernel, which is in front of the data of a write
    static final int WRITE_REQUEST_BYTES = 40;
    static final int WRITE_REQUEST_FLAGS = 20;
    static final int WRITE_FLAG_DROP_PRIVILEGES = 1 << 2;

    // struct fuse_forget_data
    static final int FORGET_INODE = 0;
    static final int FORGET_COUNT = 8;
    static final int FORGET_BYTES = 16;

    // struct fuse_args
    static final int ARGUMENTS_COUNT = 0;
    static final int ARGUMENTS_VECTOR = 8;
    static final int ARGUMENTS_BYTES = 24;

    private NativeStructs() {}
}
