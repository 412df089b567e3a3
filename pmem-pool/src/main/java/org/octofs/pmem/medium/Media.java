package org.octofs.pmem.medium;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens and creates pool files as media. */
public final class Media {
    private Media() {}

    /** {@link #open(Path, MediumKind, OpenMode, MediumOptions)} with the default options. */
    public static PmemMedium open(Path path, MediumKind kind, OpenMode mode) throws IOException {
        return open(path, kind, mode, MediumOptions.defaults());
    }

    /** Whether the path is a DAX device: all of it is one pool, and it can be neither created nor removed. */
    public static boolean isDevice(Path path) {
        return DaxDevice.is(path);
    }

    /**
     * Opens an existing pool file or DAX device and locks it for the life of the medium (or the process). Blocks while pages are faulted in.
     *
     * @throws org.octofs.pmem.PoolBusyException when another process has it open
     * @throws java.nio.file.NoSuchFileException when it does not exist
     */
    public static PmemMedium open(Path path, MediumKind kind, OpenMode mode, MediumOptions options) throws IOException {
        return map(PoolFile.open(path, mode), kind, options, false);
    }

    /**
     * Creates a pool file of zeros with all its space allocated, locks and maps it. On failure the file is gone again.
     *
     * @throws java.nio.file.FileAlreadyExistsException when the path exists
     * @throws org.octofs.pmem.NoRoomForPoolException when the file system is too full
     */
    public static PmemMedium create(Path path, long sizeBytes, MediumKind kind, MediumOptions options)
            throws IOException {
        PoolFile file = PoolFile.create(path, sizeBytes, options);
        try {
            return map(file, kind, options, true);
        } catch (IOException | RuntimeException | Error e) {
            file.delete();
            throw e;
        }
    }

    /**
     * Removes a pool file to make room for another of {@code sizeBytes}, unless that would not fit even then.
     *
     * @throws org.octofs.pmem.PoolBusyException when it is open elsewhere; it is still there then
     * @throws org.octofs.pmem.NoRoomForPoolException when the new one would not fit; it is still there then
     */
    public static void remove(Path path, long sizeBytes) throws IOException {
        if (Files.isRegularFile(path) && Files.size(path) == 0) {
            Files.delete(path);
            return;
        }
        try (PoolFile file = PoolFile.open(path, OpenMode.SERVE)) {
            PoolFile.checkRoom(path, sizeBytes, file.sizeBytes());
            file.delete();
        }
    }

    private static PmemMedium map(PoolFile file, MediumKind kind, MediumOptions options, boolean created)
            throws IOException {
        if (file.mode() == OpenMode.PRIVATE) {
            return PrivateMedium.map(file);
        }
        if (file.mode() == OpenMode.CHECK || kind == MediumKind.MAPPED) {
            // Nothing is ever flushed by a check, and only the plain mapping can be read-only.
            return MappedFileMedium.map(file, options, created, "");
        }
        if (kind == MediumKind.LLPL) {
            return LlplMedium.map(file, options, created);
        }
        String why;
        try {
            why = whyNotLlpl(file);
        } catch (IOException | RuntimeException | Error e) {
            file.close();
            throw e;
        }
        return why.isEmpty()
                ? LlplMedium.map(file, options, created)
                : MappedFileMedium.map(file, options, created, why);
    }

    /** Empty when llpl and libpmem load and take the file, else the reason in words. */
    private static String whyNotLlpl(PoolFile file) throws IOException {
        if (!LlplMedium.accepts(file)) {
            return "not persistent memory";
        }
        try {
            LlplLibrary.load();
            return "";
        } catch (IOException | IllegalArgumentException | LinkageError e) {
            // Known cases: no libpmem1, libpmemobj1 or libpmempool1 installed, native access not enabled.
            return "llpl and libpmem do not load: " + e.getMessage();
        }
    }
}
