package org.octofs.fuse.kernel;

/**
 * Operation codes of the kernel's FUSE protocol, version 7.45 (linux/fuse.h, enum fuse_opcode). Those that are
 * only refused are here too.
 */
final class KernelOpcode {
    static final int LOOKUP = 1;
    static final int FORGET = 2;
    static final int GETATTR = 3;
    static final int SETATTR = 4;
    static final int READLINK = 5;
    static final int SYMLINK = 6;
    static final int MKNOD = 8;
    static final int MKDIR = 9;
    static final int UNLINK = 10;
    static final int RMDIR = 11;
    static final int RENAME = 12;
    static final int LINK = 13;
    static final int OPEN = 14;
    static final int READ = 15;
    static final int WRITE = 16;
    static final int STATFS = 17;
    static final int RELEASE = 18;
    static final int FSYNC = 20;
    static final int SETXATTR = 21;
    static final int GETXATTR = 22;
    static final int LISTXATTR = 23;
    static final int REMOVEXATTR = 24;
    static final int FLUSH = 25;
    static final int INIT = 26;
    static final int OPENDIR = 27;
    static final int READDIR = 28;
    static final int RELEASEDIR = 29;
    static final int FSYNCDIR = 30;
    static final int GETLK = 31;
    static final int SETLK = 32;
    static final int SETLKW = 33;
    static final int ACCESS = 34;
    static final int CREATE = 35;
    static final int INTERRUPT = 36;
    static final int DESTROY = 38;
    static final int IOCTL = 39;
    static final int POLL = 40;
    static final int NOTIFY_REPLY = 41;
    static final int BATCH_FORGET = 42;
    static final int FALLOCATE = 43;
    static final int READDIRPLUS = 44;
    static final int RENAME2 = 45;
    static final int LSEEK = 46;
    static final int COPY_FILE_RANGE = 47;
    static final int SYNCFS = 50;
    static final int TMPFILE = 51;
    static final int STATX = 52;
    /** As COPY_FILE_RANGE, with 64 bits for the answer; Linux 6.18 tries it first. */
    static final int COPY_FILE_RANGE_64 = 53;

    private KernelOpcode() {}

    /** Whether the kernel waits for an answer. INTERRUPT may be answered, by EAGAIN alone. */
    static boolean isAnswered(int opcode) {
        return switch (opcode) {
            case FORGET, BATCH_FORGET, INTERRUPT, NOTIFY_REPLY -> false;
            default -> true;
        };
    }
}
