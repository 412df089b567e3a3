package org.octofs.fuse.kernel;

/**
 * Structures of the kernel's FUSE protocol (linux/fuse.h, version 7.40), native byte order. Only what is used here; each
 * offset is the one before plus its width, so that an error shows in the sizes, which a test compares with the header's.
 */
final class KernelLayouts {
    private KernelLayouts() {}

    /** fuse_in_header, in front of every request. */
    static final class InHeader {
        static final int LENGTH_OFFSET = 0; // bytes of the whole request
        static final int OPCODE_OFFSET = LENGTH_OFFSET + Integer.BYTES;
        static final int UNIQUE_OFFSET = OPCODE_OFFSET + Integer.BYTES; // names the request in its answer
        static final int NODE_OFFSET = UNIQUE_OFFSET + Long.BYTES;
        static final int UID_OFFSET = NODE_OFFSET + Long.BYTES;
        static final int GID_OFFSET = UID_OFFSET + Integer.BYTES;
        static final int PID_OFFSET = GID_OFFSET + Integer.BYTES;
        static final int EXTENSIONS_OFFSET =
                PID_OFFSET + Integer.BYTES; // length of extensions in units of 8 bytes u16, padding u16
        static final int SIZE_BYTES = EXTENSIONS_OFFSET + Integer.BYTES;

        private InHeader() {}
    }

    /** fuse_out_header, in front of every answer and notification. */
    static final class OutHeader {
        static final int LENGTH_OFFSET = 0;
        static final int ERROR_OFFSET =
                LENGTH_OFFSET + Integer.BYTES; // 0 or a negative errno; of a notification its code
        static final int UNIQUE_OFFSET = ERROR_OFFSET + Integer.BYTES; // 0 in a notification
        static final int SIZE_BYTES = UNIQUE_OFFSET + Long.BYTES;

        private OutHeader() {}
    }

    /** fuse_attr. */
    static final class Attr {
        static final int INO_OFFSET = 0;
        static final int SIZE_OFFSET = INO_OFFSET + Long.BYTES;
        static final int BLOCKS_OFFSET = SIZE_OFFSET + Long.BYTES; // units of 512
        static final int ATIME_OFFSET = BLOCKS_OFFSET + Long.BYTES;
        static final int MTIME_OFFSET = ATIME_OFFSET + Long.BYTES;
        static final int CTIME_OFFSET = MTIME_OFFSET + Long.BYTES;
        static final int ATIME_NSEC_OFFSET = CTIME_OFFSET + Long.BYTES;
        static final int MTIME_NSEC_OFFSET = ATIME_NSEC_OFFSET + Integer.BYTES;
        static final int CTIME_NSEC_OFFSET = MTIME_NSEC_OFFSET + Integer.BYTES;
        static final int MODE_OFFSET = CTIME_NSEC_OFFSET + Integer.BYTES;
        static final int NLINK_OFFSET = MODE_OFFSET + Integer.BYTES;
        static final int UID_OFFSET = NLINK_OFFSET + Integer.BYTES;
        static final int GID_OFFSET = UID_OFFSET + Integer.BYTES;
        static final int RDEV_OFFSET = GID_OFFSET + Integer.BYTES;
        static final int BLKSIZE_OFFSET = RDEV_OFFSET + Integer.BYTES;
        static final int FLAGS_OFFSET = BLKSIZE_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = FLAGS_OFFSET + Integer.BYTES;

        private Attr() {}
    }

    /** fuse_entry_out. */
    static final class EntryOut {
        static final int NODE_OFFSET = 0; // 0 is a name that does not exist
        static final int GENERATION_OFFSET = NODE_OFFSET + Long.BYTES;
        static final int ENTRY_VALID_OFFSET = GENERATION_OFFSET + Long.BYTES; // seconds
        static final int ATTR_VALID_OFFSET = ENTRY_VALID_OFFSET + Long.BYTES; // seconds
        static final int ENTRY_VALID_NSEC_OFFSET = ATTR_VALID_OFFSET + Long.BYTES;
        static final int ATTR_VALID_NSEC_OFFSET = ENTRY_VALID_NSEC_OFFSET + Integer.BYTES;
        static final int ATTR_OFFSET = ATTR_VALID_NSEC_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = ATTR_OFFSET + Attr.SIZE_BYTES;

        private EntryOut() {}
    }

    /** fuse_attr_out. */
    static final class AttrOut {
        static final int VALID_OFFSET = 0; // seconds
        static final int VALID_NSEC_OFFSET = VALID_OFFSET + Long.BYTES;
        static final int DUMMY_OFFSET = VALID_NSEC_OFFSET + Integer.BYTES;
        static final int ATTR_OFFSET = DUMMY_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = ATTR_OFFSET + Attr.SIZE_BYTES;

        private AttrOut() {}
    }

    /** fuse_getattr_in. */
    static final class GetattrIn {
        static final int FLAGS_OFFSET = 0; // 1: fh is valid
        static final int DUMMY_OFFSET = FLAGS_OFFSET + Integer.BYTES;
        static final int FH_OFFSET = DUMMY_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = FH_OFFSET + Long.BYTES;

        private GetattrIn() {}
    }

    /** fuse_setattr_in. */
    static final class SetattrIn {
        static final int VALID_OFFSET = 0; // FATTR_* bits
        static final int PADDING_OFFSET = VALID_OFFSET + Integer.BYTES;
        static final int FH_OFFSET = PADDING_OFFSET + Integer.BYTES;
        static final int SIZE_OFFSET = FH_OFFSET + Long.BYTES;
        static final int LOCK_OWNER_OFFSET = SIZE_OFFSET + Long.BYTES;
        static final int ATIME_OFFSET = LOCK_OWNER_OFFSET + Long.BYTES;
        static final int MTIME_OFFSET = ATIME_OFFSET + Long.BYTES;
        static final int CTIME_OFFSET = MTIME_OFFSET + Long.BYTES;
        static final int ATIME_NSEC_OFFSET = CTIME_OFFSET + Long.BYTES;
        static final int MTIME_NSEC_OFFSET = ATIME_NSEC_OFFSET + Integer.BYTES;
        static final int CTIME_NSEC_OFFSET = MTIME_NSEC_OFFSET + Integer.BYTES;
        static final int MODE_OFFSET = CTIME_NSEC_OFFSET + Integer.BYTES;
        static final int UNUSED4_OFFSET = MODE_OFFSET + Integer.BYTES;
        static final int UID_OFFSET = UNUSED4_OFFSET + Integer.BYTES;
        static final int GID_OFFSET = UID_OFFSET + Integer.BYTES;
        static final int UNUSED5_OFFSET = GID_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = UNUSED5_OFFSET + Integer.BYTES;

        private SetattrIn() {}
    }

    /** fuse_mknod_in. */
    static final class MknodIn {
        static final int MODE_OFFSET = 0;
        static final int RDEV_OFFSET = MODE_OFFSET + Integer.BYTES;
        static final int UMASK_OFFSET = RDEV_OFFSET + Integer.BYTES;
        static final int PADDING_OFFSET = UMASK_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = PADDING_OFFSET + Integer.BYTES;

        private MknodIn() {}
    }

    /** fuse_mkdir_in. */
    static final class MkdirIn {
        static final int MODE_OFFSET = 0;
        static final int UMASK_OFFSET = MODE_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = UMASK_OFFSET + Integer.BYTES;

        private MkdirIn() {}
    }

    /** fuse_rename2_in; RENAME has only the first field. */
    static final class Rename2In {
        static final int NEW_DIRECTORY_OFFSET = 0;
        static final int FLAGS_OFFSET = NEW_DIRECTORY_OFFSET + Long.BYTES;
        static final int PADDING_OFFSET = FLAGS_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = PADDING_OFFSET + Integer.BYTES;

        private Rename2In() {}
    }

    /** fuse_open_in. */
    static final class OpenIn {
        static final int FLAGS_OFFSET = 0; // of open(2)
        static final int OPEN_FLAGS_OFFSET = FLAGS_OFFSET + Integer.BYTES; // 1: clear set-id bits
        static final int SIZE_BYTES = OPEN_FLAGS_OFFSET + Integer.BYTES;

        private OpenIn() {}
    }

    /** fuse_open_out. */
    static final class OpenOut {
        static final int FH_OFFSET = 0;
        static final int OPEN_FLAGS_OFFSET = FH_OFFSET + Long.BYTES; // FOPEN_* bits
        static final int BACKING_ID_OFFSET = OPEN_FLAGS_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = BACKING_ID_OFFSET + Integer.BYTES;

        private OpenOut() {}
    }

    /** fuse_create_in. */
    static final class CreateIn {
        static final int FLAGS_OFFSET = 0; // of open(2)
        static final int MODE_OFFSET = FLAGS_OFFSET + Integer.BYTES;
        static final int UMASK_OFFSET = MODE_OFFSET + Integer.BYTES;
        static final int OPEN_FLAGS_OFFSET = UMASK_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = OPEN_FLAGS_OFFSET + Integer.BYTES;

        private CreateIn() {}
    }

    /** fuse_release_in. */
    static final class ReleaseIn {
        static final int FH_OFFSET = 0;
        static final int FLAGS_OFFSET = FH_OFFSET + Long.BYTES;
        static final int RELEASE_FLAGS_OFFSET = FLAGS_OFFSET + Integer.BYTES; // 2: give back the flock
        static final int LOCK_OWNER_OFFSET = RELEASE_FLAGS_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = LOCK_OWNER_OFFSET + Long.BYTES;

        private ReleaseIn() {}
    }

    /** fuse_flush_in. */
    static final class FlushIn {
        static final int FH_OFFSET = 0;
        static final int UNUSED_OFFSET = FH_OFFSET + Long.BYTES;
        static final int PADDING_OFFSET = UNUSED_OFFSET + Integer.BYTES;
        static final int LOCK_OWNER_OFFSET = PADDING_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = LOCK_OWNER_OFFSET + Long.BYTES;

        private FlushIn() {}
    }

    /** fuse_read_in and fuse_write_in, which are alike; of READDIR too. */
    static final class ReadIn {
        static final int FH_OFFSET = 0;
        static final int OFFSET_OFFSET = FH_OFFSET + Long.BYTES;
        static final int SIZE_OFFSET = OFFSET_OFFSET + Long.BYTES;
        static final int IO_FLAGS_OFFSET = SIZE_OFFSET + Integer.BYTES; // of a write 4: clear set-id bits
        static final int LOCK_OWNER_OFFSET = IO_FLAGS_OFFSET + Integer.BYTES;
        static final int OPEN_FLAGS_OFFSET = LOCK_OWNER_OFFSET + Long.BYTES; // of open(2)
        static final int PADDING_OFFSET = OPEN_FLAGS_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = PADDING_OFFSET + Integer.BYTES;

        private ReadIn() {}
    }

    /** fuse_fsync_in. */
    static final class FsyncIn {
        static final int FH_OFFSET = 0;
        static final int FLAGS_OFFSET = FH_OFFSET + Long.BYTES; // 1: data only
        static final int PADDING_OFFSET = FLAGS_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = PADDING_OFFSET + Integer.BYTES;

        private FsyncIn() {}
    }

    /** fuse_statfs_out. */
    static final class StatfsOut {
        static final int BLOCKS_OFFSET = 0;
        static final int BFREE_OFFSET = BLOCKS_OFFSET + Long.BYTES;
        static final int BAVAIL_OFFSET = BFREE_OFFSET + Long.BYTES;
        static final int FILES_OFFSET = BAVAIL_OFFSET + Long.BYTES;
        static final int FFREE_OFFSET = FILES_OFFSET + Long.BYTES;
        static final int BSIZE_OFFSET = FFREE_OFFSET + Long.BYTES;
        static final int NAMELEN_OFFSET = BSIZE_OFFSET + Integer.BYTES;
        static final int FRSIZE_OFFSET = NAMELEN_OFFSET + Integer.BYTES;
        static final int PADDING_OFFSET = FRSIZE_OFFSET + Integer.BYTES;
        static final int SPARE0_OFFSET = PADDING_OFFSET + Integer.BYTES;
        static final int SPARE1_OFFSET = SPARE0_OFFSET + Long.BYTES;
        static final int SPARE2_OFFSET = SPARE1_OFFSET + Long.BYTES;
        static final int SIZE_BYTES = SPARE2_OFFSET + Long.BYTES;

        private StatfsOut() {}
    }

    /** fuse_setxattr_in without SETXATTR_EXT and fuse_getxattr_in; fuse_getxattr_out. */
    static final class XattrIn {
        static final int SIZE_OFFSET = 0;
        static final int FLAGS_OFFSET = SIZE_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = FLAGS_OFFSET + Integer.BYTES;

        private XattrIn() {}
    }

    /** fuse_setxattr_in with SETXATTR_EXT. */
    static final class SetxattrIn {
        static final int SIZE_OFFSET = 0;
        static final int FLAGS_OFFSET = SIZE_OFFSET + Integer.BYTES;
        static final int SETXATTR_FLAGS_OFFSET = FLAGS_OFFSET + Integer.BYTES; // 1: set-group-id goes with the list
        static final int PADDING_OFFSET = SETXATTR_FLAGS_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = PADDING_OFFSET + Integer.BYTES;

        private SetxattrIn() {}
    }

    /** fuse_statx_in. */
    static final class StatxIn {
        static final int GETATTR_FLAGS_OFFSET = 0; // 1: fh is valid
        static final int RESERVED_OFFSET = GETATTR_FLAGS_OFFSET + Integer.BYTES;
        static final int FH_OFFSET = RESERVED_OFFSET + Integer.BYTES;
        static final int STATX_FLAGS_OFFSET = FH_OFFSET + Long.BYTES;
        static final int MASK_OFFSET = STATX_FLAGS_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = MASK_OFFSET + Integer.BYTES;

        private StatxIn() {}
    }

    /** fuse_statx_out, which ends with fuse_statx. */
    static final class StatxOut {
        static final int VALID_OFFSET = 0; // seconds
        static final int VALID_NSEC_OFFSET = VALID_OFFSET + Long.BYTES;
        static final int REPLY_FLAGS_OFFSET = VALID_NSEC_OFFSET + Integer.BYTES;
        static final int SPARE_OFFSET = REPLY_FLAGS_OFFSET + Integer.BYTES;
        static final int MASK_OFFSET = SPARE_OFFSET + 2 * Long.BYTES; // STATX_* bits that are answered
        static final int BLKSIZE_OFFSET = MASK_OFFSET + Integer.BYTES;
        static final int ATTRIBUTES_OFFSET = BLKSIZE_OFFSET + Integer.BYTES;
        static final int NLINK_OFFSET = ATTRIBUTES_OFFSET + Long.BYTES;
        static final int UID_OFFSET = NLINK_OFFSET + Integer.BYTES;
        static final int GID_OFFSET = UID_OFFSET + Integer.BYTES;
        static final int MODE_OFFSET = GID_OFFSET + Integer.BYTES; // u16
        static final int SPARE0_OFFSET = MODE_OFFSET + Short.BYTES;
        static final int INO_OFFSET = SPARE0_OFFSET + Short.BYTES;
        static final int SIZE_OFFSET = INO_OFFSET + Long.BYTES;
        static final int BLOCKS_OFFSET = SIZE_OFFSET + Long.BYTES; // units of 512
        static final int ATTRIBUTES_MASK_OFFSET = BLOCKS_OFFSET + Long.BYTES;
        static final int ATIME_OFFSET = ATTRIBUTES_MASK_OFFSET + Long.BYTES;
        static final int BTIME_OFFSET = ATIME_OFFSET + StatxTime.SIZE_BYTES;
        static final int CTIME_OFFSET = BTIME_OFFSET + StatxTime.SIZE_BYTES;
        static final int MTIME_OFFSET = CTIME_OFFSET + StatxTime.SIZE_BYTES;
        static final int RDEV_MAJOR_OFFSET = MTIME_OFFSET + StatxTime.SIZE_BYTES;
        static final int RDEV_MINOR_OFFSET = RDEV_MAJOR_OFFSET + Integer.BYTES;
        static final int DEV_MAJOR_OFFSET = RDEV_MINOR_OFFSET + Integer.BYTES;
        static final int DEV_MINOR_OFFSET = DEV_MAJOR_OFFSET + Integer.BYTES;
        static final int SPARE2_OFFSET = DEV_MINOR_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = SPARE2_OFFSET + 14 * Long.BYTES;

        private StatxOut() {}
    }

    /** fuse_sx_time. */
    static final class StatxTime {
        static final int SECONDS_OFFSET = 0;
        static final int NANOS_OFFSET = SECONDS_OFFSET + Long.BYTES;
        static final int RESERVED_OFFSET = NANOS_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = RESERVED_OFFSET + Integer.BYTES;

        private StatxTime() {}
    }

    /** fuse_lk_in. */
    static final class LockIn {
        static final int FH_OFFSET = 0;
        static final int OWNER_OFFSET = FH_OFFSET + Long.BYTES;
        static final int START_OFFSET = OWNER_OFFSET + Long.BYTES;
        static final int END_OFFSET = START_OFFSET + Long.BYTES;
        static final int TYPE_OFFSET = END_OFFSET + Long.BYTES;
        static final int PID_OFFSET = TYPE_OFFSET + Integer.BYTES;
        static final int FLAGS_OFFSET = PID_OFFSET + Integer.BYTES; // 1: flock
        static final int PADDING_OFFSET = FLAGS_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = PADDING_OFFSET + Integer.BYTES;

        private LockIn() {}
    }

    /** fuse_lk_out. */
    static final class LockOut {
        static final int START_OFFSET = 0;
        static final int END_OFFSET = START_OFFSET + Long.BYTES;
        static final int TYPE_OFFSET = END_OFFSET + Long.BYTES;
        static final int PID_OFFSET = TYPE_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = PID_OFFSET + Integer.BYTES;

        private LockOut() {}
    }

    /** fuse_init_in. */
    static final class InitIn {
        static final int MAJOR_OFFSET = 0;
        static final int MINOR_OFFSET = MAJOR_OFFSET + Integer.BYTES;
        static final int MAX_READAHEAD_OFFSET = MINOR_OFFSET + Integer.BYTES;
        static final int FLAGS_OFFSET = MAX_READAHEAD_OFFSET + Integer.BYTES;
        static final int FLAGS2_OFFSET = FLAGS_OFFSET + Integer.BYTES; // flags of bit 32 and up
        static final int SIZE_BYTES = FLAGS2_OFFSET + Integer.BYTES;

        private InitIn() {}
    }

    /** fuse_init_out. */
    static final class InitOut {
        static final int MAJOR_OFFSET = 0;
        static final int MINOR_OFFSET = MAJOR_OFFSET + Integer.BYTES;
        static final int MAX_READAHEAD_OFFSET = MINOR_OFFSET + Integer.BYTES;
        static final int FLAGS_OFFSET = MAX_READAHEAD_OFFSET + Integer.BYTES;
        static final int MAX_BACKGROUND_OFFSET = FLAGS_OFFSET + Integer.BYTES;
        static final int CONGESTION_THRESHOLD_OFFSET = MAX_BACKGROUND_OFFSET + Short.BYTES;
        static final int MAX_WRITE_OFFSET = CONGESTION_THRESHOLD_OFFSET + Short.BYTES;
        static final int TIME_GRANULARITY_OFFSET = MAX_WRITE_OFFSET + Integer.BYTES; // nanoseconds
        static final int MAX_PAGES_OFFSET = TIME_GRANULARITY_OFFSET + Integer.BYTES;
        static final int MAP_ALIGNMENT_OFFSET = MAX_PAGES_OFFSET + Short.BYTES;
        static final int FLAGS2_OFFSET = MAP_ALIGNMENT_OFFSET + Short.BYTES;
        static final int MAX_STACK_DEPTH_OFFSET = FLAGS2_OFFSET + Integer.BYTES;
        static final int UNUSED0_OFFSET = MAX_STACK_DEPTH_OFFSET + Integer.BYTES;
        static final int UNUSED1_OFFSET = UNUSED0_OFFSET + Long.BYTES;
        static final int UNUSED2_OFFSET = UNUSED1_OFFSET + Long.BYTES;
        static final int SIZE_BYTES = UNUSED2_OFFSET + Long.BYTES;

        private InitOut() {}
    }

    /** fuse_fallocate_in. */
    static final class FallocateIn {
        static final int FH_OFFSET = 0;
        static final int OFFSET_OFFSET = FH_OFFSET + Long.BYTES;
        static final int LENGTH_OFFSET = OFFSET_OFFSET + Long.BYTES;
        static final int MODE_OFFSET = LENGTH_OFFSET + Long.BYTES;
        static final int PADDING_OFFSET = MODE_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = PADDING_OFFSET + Integer.BYTES;

        private FallocateIn() {}
    }

    /** fuse_lseek_in. */
    static final class LseekIn {
        static final int FH_OFFSET = 0;
        static final int OFFSET_OFFSET = FH_OFFSET + Long.BYTES;
        static final int WHENCE_OFFSET = OFFSET_OFFSET + Long.BYTES;
        static final int PADDING_OFFSET = WHENCE_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = PADDING_OFFSET + Integer.BYTES;

        private LseekIn() {}
    }

    /** fuse_copy_file_range_in. */
    static final class CopyIn {
        static final int FH_IN_OFFSET = 0;
        static final int OFFSET_IN_OFFSET = FH_IN_OFFSET + Long.BYTES;
        static final int NODE_OUT_OFFSET = OFFSET_IN_OFFSET + Long.BYTES;
        static final int FH_OUT_OFFSET = NODE_OUT_OFFSET + Long.BYTES;
        static final int OFFSET_OUT_OFFSET = FH_OUT_OFFSET + Long.BYTES;
        static final int LENGTH_OFFSET = OFFSET_OUT_OFFSET + Long.BYTES;
        static final int FLAGS_OFFSET = LENGTH_OFFSET + Long.BYTES;
        static final int SIZE_BYTES = FLAGS_OFFSET + Long.BYTES;

        private CopyIn() {}
    }

    /** fuse_notify_inval_inode_out. */
    static final class InvalInodeOut {
        static final int NODE_OFFSET = 0;
        static final int OFFSET_OFFSET = NODE_OFFSET + Long.BYTES;
        static final int LENGTH_OFFSET = OFFSET_OFFSET + Long.BYTES;
        static final int SIZE_BYTES = LENGTH_OFFSET + Long.BYTES;

        private InvalInodeOut() {}
    }

    /** fuse_notify_inval_entry_out; the name and a NUL follow. */
    static final class InvalEntryOut {
        static final int PARENT_OFFSET = 0;
        static final int NAME_LENGTH_OFFSET = PARENT_OFFSET + Long.BYTES;
        static final int FLAGS_OFFSET = NAME_LENGTH_OFFSET + Integer.BYTES;
        static final int SIZE_BYTES = FLAGS_OFFSET + Integer.BYTES;

        private InvalEntryOut() {}
    }
}
