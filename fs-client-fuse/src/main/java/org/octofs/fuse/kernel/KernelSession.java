package org.octofs.fuse.kernel;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.octofs.fuse.fuse.MountParameters;

/**
 * FUSE_INIT: what this side and the kernel agree on. Version 7.31 (Linux 5.4) is the oldest that is taken.
 *
 * <p>Durability: none. Threading: done once, by the thread that mounts, before any other request is read.
 */
final class KernelSession {
    static final int MAJOR = 7;
    static final int MINOR = 40;
    static final int MINOR_MIN = 31;

    static final long ASYNC_READ = 1;
    static final long POSIX_LOCKS = 1 << 1;
    static final long ATOMIC_O_TRUNC = 1 << 3;
    static final long EXPORT_SUPPORT = 1 << 4;
    static final long BIG_WRITES = 1 << 5;
    /** The umask is applied here, not by the kernel: a default access control list takes its place. */
    static final long DONT_MASK = 1 << 6;

    static final long FLOCK_LOCKS = 1 << 10;
    /** Listings may come with attributes, and do where names are looked up after a listing (AUTO). */
    static final long DO_READDIRPLUS = 1 << 13;

    static final long READDIRPLUS_AUTO = 1 << 14;
    static final long ASYNC_DIO = 1 << 15;
    static final long PARALLEL_DIROPS = 1 << 18;
    /** The kernel enforces access control lists, which it reads and writes as extended attributes. */
    static final long POSIX_ACL = 1 << 20;

    static final long MAX_PAGES = 1 << 22;
    static final long HANDLE_KILLPRIV_V2 = 1 << 28;
    /** SETXATTR has flags of its own. */
    static final long SETXATTR_EXT = 1 << 29;

    static final long INIT_EXT = 1 << 30;
    /** Files opened with direct I/O may be mapped all the same. */
    static final long DIRECT_IO_ALLOW_MMAP = 1L << 36;

    /**
     * HANDLE_KILLPRIV_V2 leaves the clearing of set-id bits at writes to us, and saves one GETXATTR per write; the
     * kernel's page cache is dropped at open, not by comparing times (AUTO_INVAL_DATA), since our own commits move them.
     */
    private static final long WANTED = ASYNC_READ
            | POSIX_LOCKS
            | ATOMIC_O_TRUNC
            | EXPORT_SUPPORT
            | BIG_WRITES
            | FLOCK_LOCKS
            | ASYNC_DIO
            | PARALLEL_DIROPS
            | MAX_PAGES
            | DONT_MASK
            | POSIX_ACL
            | SETXATTR_EXT
            | HANDLE_KILLPRIV_V2
            | INIT_EXT
            | DIRECT_IO_ALLOW_MMAP;

    private static final int PAGE_BYTES = 4096;
    private static final int PAGES_MAX = 256;
    private static final int PAGES_WITHOUT_MAX_PAGES = 32;
    private static final int BACKGROUND_MAX = 64;
    private static final int CONGESTION_THRESHOLD = 48;

    private final long flags;
    private final int transferBytes;

    private KernelSession(long flags, int transferBytes) {
        this.flags = flags;
        this.transferBytes = transferBytes;
    }

    boolean has(long flag) {
        return (flags & flag) != 0;
    }

    /** Largest payload of a WRITE, and of the answer to a READ. */
    int transferBytes() {
        return transferBytes;
    }

    /**
     * Reads the kernel's offer and puts the answer's body, {@link KernelLayouts.InitOut} bytes, at {@code out}.
     *
     * @param listsWithAttributes the file system answers READDIRPLUS
     * @throws IOException if the kernel is older than what is needed
     */
    static KernelSession negotiate(
            MemorySegment in,
            long inOffset,
            MemorySegment out,
            long outOffset,
            MountParameters want,
            boolean listsWithAttributes)
            throws IOException {
        int major = Native.getInt(in, inOffset + KernelLayouts.InitIn.MAJOR_OFFSET);
        int minor = Native.getInt(in, inOffset + KernelLayouts.InitIn.MINOR_OFFSET);
        if (major != MAJOR || minor < MINOR_MIN) {
            throw new IOException("the kernel speaks FUSE " + major + "." + minor + ", needed is " + MAJOR + "."
                    + MINOR_MIN + " (Linux 5.4) or later; mount with -o binding=jnr");
        }
        long offered = Native.getInt(in, inOffset + KernelLayouts.InitIn.FLAGS_OFFSET) & 0xFFFF_FFFFL;
        if ((offered & INIT_EXT) != 0) {
            offered |= (long) Native.getInt(in, inOffset + KernelLayouts.InitIn.FLAGS2_OFFSET) << 32;
        }
        long agreed = offered & (listsWithAttributes ? WANTED | DO_READDIRPLUS | READDIRPLUS_AUTO : WANTED);
        int pages = (agreed & MAX_PAGES) != 0 ? PAGES_MAX : PAGES_WITHOUT_MAX_PAGES;
        int most = pages * PAGE_BYTES;
        int maxWrite = Math.min(most, want.maxWriteBytes() & -PAGE_BYTES);
        // The kernel bounds reads by what it was told when mounting; the number of pages is for both.
        int transfer = Math.max(maxWrite, Math.min(most, want.maxReadBytes() & -PAGE_BYTES));
        out.asSlice(outOffset, KernelLayouts.InitOut.SIZE_BYTES).fill((byte) 0);
        Native.putInt(out, outOffset + KernelLayouts.InitOut.MAJOR_OFFSET, MAJOR);
        Native.putInt(out, outOffset + KernelLayouts.InitOut.MINOR_OFFSET, MINOR);
        Native.putInt(
                out,
                outOffset + KernelLayouts.InitOut.MAX_READAHEAD_OFFSET,
                Native.getInt(in, inOffset + KernelLayouts.InitIn.MAX_READAHEAD_OFFSET));
        Native.putInt(out, outOffset + KernelLayouts.InitOut.FLAGS_OFFSET, (int) agreed);
        Native.putInt(out, outOffset + KernelLayouts.InitOut.FLAGS2_OFFSET, (int) (agreed >>> 32));
        Native.putShort(out, outOffset + KernelLayouts.InitOut.MAX_BACKGROUND_OFFSET, BACKGROUND_MAX);
        Native.putShort(out, outOffset + KernelLayouts.InitOut.CONGESTION_THRESHOLD_OFFSET, CONGESTION_THRESHOLD);
        Native.putInt(out, outOffset + KernelLayouts.InitOut.MAX_WRITE_OFFSET, maxWrite);
        Native.putInt(out, outOffset + KernelLayouts.InitOut.TIME_GRANULARITY_OFFSET, 1);
        Native.putShort(out, outOffset + KernelLayouts.InitOut.MAX_PAGES_OFFSET, transfer / PAGE_BYTES);
        return new KernelSession(agreed, transfer);
    }
}
