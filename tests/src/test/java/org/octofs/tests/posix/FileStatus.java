package org.octofs.tests.posix;

/**
 * What stat(2) says, as far as file systems have to agree.
 *
 * @param mode type and permissions
 * @param blocks in units of 512 bytes
 */
public record FileStatus(
        long ino,
        int mode,
        long nlink,
        int uid,
        int gid,
        long size,
        long blocks,
        Time accessed,
        Time modified,
        Time changed) {

    static final int TYPE_MASK = 0170000;
    static final int DIRECTORY = 0040000;
    static final int REGULAR = 0100000;
    static final int SYMLINK = 0120000;
    static final int FIFO = 0010000;

    /** A time stamp. */
    public record Time(long seconds, long nanos) {
        /** In utimensat(2): now. */
        public static final Time NOW = new Time(0, (1L << 30) - 1);

        /** In utimensat(2): not to be changed. */
        public static final Time OMIT = new Time(0, (1L << 30) - 2);

        @Override
        public String toString() {
            return seconds + "." + nanos;
        }
    }

    int type() {
        return mode & TYPE_MASK;
    }

    /** In words that do not differ between file systems: no inode number, no size of a directory. */
    @Override
    public String toString() {
        String type = switch (type()) {
            case DIRECTORY -> "dir";
            case REGULAR -> "file";
            case SYMLINK -> "symlink";
            case FIFO -> "fifo";
            default -> "type " + Integer.toOctalString(type());
        };
        String text = type + " " + Integer.toOctalString(mode & 07777) + " " + nlink + " " + uid + ":" + gid;
        return type() == DIRECTORY ? text : text + " " + size;
    }
}
