package org.octofs.pmem.medium;

import com.intel.pmem.llpl.MemoryPool;
import com.intel.pmem.llpl.Util;
import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;

/**
 * Loads llpl's native library without leaving litter. Left alone, llpl unpacks it into /tmp and removes it when the process
 * ends in order, so each {@code kill -9} leaves a copy. Here it is unpacked into a private directory that is removed as
 * soon as the library is loaded (the mapping stays valid); what a kill in between leaves is swept by a later start.
 *
 * <p>When {@code java.library.path} holds a {@code libllpl.so}, llpl takes that one and nothing is unpacked.
 */
final class LlplLibrary {
    private static final String PREFIX = "octofs-llpl-";
    private static final long STALE_MILLIS = TimeUnit.MINUTES.toMillis(10);

    private static boolean loaded;

    private LlplLibrary() {}

    /**
     * Fails with a linkage error when libpmem, libpmemobj or libpmempool is missing.
     *
     * @throws IOException when there is no place to unpack to
     */
    static synchronized void load() throws IOException {
        if (loaded) {
            return;
        }
        Libpmem.load();
        Path parent = Path.of(System.getProperty("java.io.tmpdir"));
        sweep(parent);
        Path directory = Files.createTempDirectory(
                parent, PREFIX, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        try {
            Util.setLLPLTempDirectory(directory.toString());
            // Any use of the class loads the library; this one touches no pool.
            Class.forName("com.intel.pmem.llpl.MemoryPoolImpl", true, MemoryPool.class.getClassLoader());
            loaded = true;
        } catch (ClassNotFoundException e) {
            throw new IOException("the llpl jar is not complete", e);
        } finally {
            remove(directory);
        }
    }

    private static void sweep(Path parent) {
        long now = System.currentTimeMillis();
        try (DirectoryStream<Path> old = Files.newDirectoryStream(parent, PREFIX + "*")) {
            for (Path directory : old) {
                FileTime time = Files.getLastModifiedTime(directory);
                if (now - time.toMillis() > STALE_MILLIS) {
                    remove(directory);
                }
            }
        } catch (IOException e) {
            // Another user's litter, or a race with another start: not worth failing for.
            return;
        }
    }

    private static void remove(Path directory) throws IOException {
        File[] files = directory.toFile().listFiles();
        if (files != null) {
            for (File file : files) {
                Files.deleteIfExists(file.toPath());
            }
        }
        Files.deleteIfExists(directory);
    }
}
