package org.octofs.fuse.fuse;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a binding has to know to mount; the user's options are parsed elsewhere.
 *
 * @param directory where to mount, absolute
 * @param fileSystemName first column of the mount table; no comma
 * @param allowOther other users than the one who mounts get in
 * @param flags what the kernel is to forbid or leave out
 * @param maxReadBytes largest read request; a binding takes less if it cannot carry that
 * @param maxWriteBytes largest write request; likewise
 * @param threadCount threads that wait for requests; more are added while all are busy
 * @param debug the binding prints each request, if it can
 */
public record MountParameters(
        Path directory,
        String fileSystemName,
        boolean readOnly,
        boolean allowOther,
        Set<MountFlag> flags,
        int maxReadBytes,
        int maxWriteBytes,
        int threadCount,
        boolean debug) {

    public static final int DEFAULT_TRANSFER_BYTES = 1 << 20;

    public MountParameters {
        flags = Set.copyOf(flags);
        if (!directory.isAbsolute()) {
            throw new IllegalArgumentException("mount point is not absolute: " + directory);
        }
        if (fileSystemName.isEmpty() || fileSystemName.indexOf(',') >= 0) {
            throw new IllegalArgumentException("file system name is empty or has a comma: " + fileSystemName);
        }
        if (threadCount < 1 || maxReadBytes < 4096 || maxWriteBytes < 4096) {
            throw new IllegalArgumentException("at least 1 thread and requests of 4096 bytes: " + threadCount
                    + " threads, " + maxReadBytes + " and " + maxWriteBytes + " bytes");
        }
    }

    /** Read-write for the caller's own user, as many threads as suit the machine. */
    public static MountParameters of(Path directory, String fileSystemName) {
        int threads = Math.max(4, 2 * Runtime.getRuntime().availableProcessors());
        return new MountParameters(
                directory.toAbsolutePath(),
                fileSystemName,
                false,
                false,
                EnumSet.noneOf(MountFlag.class),
                DEFAULT_TRANSFER_BYTES,
                DEFAULT_TRANSFER_BYTES,
                threads,
                false);
    }

    public MountParameters withAllowOther(boolean allow) {
        return new MountParameters(
                directory, fileSystemName, readOnly, allow, flags, maxReadBytes, maxWriteBytes, threadCount, debug);
    }
}
