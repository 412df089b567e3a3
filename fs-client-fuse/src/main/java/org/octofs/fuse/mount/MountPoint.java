package org.octofs.fuse.mount;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Optional;
import org.octofs.client.mounts.DirectoryProbe;
import org.octofs.client.mounts.MountTable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A directory to mount on: found, freed of a dead mount, checked. */
final class MountPoint {
    private static final Logger LOG = LoggerFactory.getLogger(MountPoint.class);
    private static final int STACKED_MAX = 16;

    private MountPoint() {}

    /** The directory's real path, without a look at the directory itself, which may be a dead or a hanging mount. */
    static Path resolve(Path given) throws IOException {
        Path absolute = given.toAbsolutePath().normalize();
        if (absolute.getParent() == null) {
            return absolute;
        }
        Path beside;
        try {
            beside = absolute.getParent().toRealPath().resolve(absolute.getFileName());
        } catch (NoSuchFileException e) {
            throw new IOException(absolute + " does not exist; make it first: mkdir -p " + absolute, e);
        }
        boolean mounted = MountTable.find(beside).isPresent();
        return mounted || !Files.isSymbolicLink(beside) ? beside : beside.toRealPath();
    }

    /**
     * Makes sure that the directory can be mounted on; takes away mounts of ours there whose process is gone.
     *
     * @throws IOException with words for the user
     */
    static void prepare(Path directory, boolean mayHaveEntries) throws IOException {
        for (int i = 0; i < STACKED_MAX; i++) {
            Optional<MountTable.Entry> mount = MountTable.find(directory);
            if (mount.isEmpty() || !mount.get().isOctoFs()) {
                break;
            }
            if (!isDead(directory)) {
                throw mountedAlready(directory, mount.get());
            }
            LOG.info("{}: a dead mount is taken away", directory);
            MountTable.unmount(directory, true);
        }
        if (!Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(directory + " does not exist; make it first: mkdir -p " + directory);
        }
        checkUsable(directory, mayHaveEntries);
    }

    /**
     * Looks whether {@link #prepare} would refuse the directory, which may be missing yet; changes nothing.
     *
     * @throws IOException with words for the user
     */
    static void check(Path directory, boolean mayHaveEntries) throws IOException {
        Optional<MountTable.Entry> mount = MountTable.find(directory);
        if (mount.isPresent() && mount.get().isOctoFs()) {
            if (!isDead(directory)) {
                throw mountedAlready(directory, mount.get());
            }
            // What is below the dead mount cannot be seen.
        } else if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)) {
            checkUsable(directory, mayHaveEntries);
        }
    }

    private static IOException mountedAlready(Path directory, MountTable.Entry mount) {
        return new IOException(directory + " is mounted already (" + mount.source()
                + "); unmount it first: octofs umount " + directory);
    }

    private static void checkUsable(Path directory, boolean mayHaveEntries) throws IOException {
        if (!Files.isDirectory(directory)) {
            throw new IOException(directory + " is not a directory; give one to mount on");
        }
        if (!mayHaveEntries) {
            checkEmpty(directory);
        }
    }

    /**
     * Looks whether this user can mount at all.
     *
     * @param device of FUSE
     * @throws IOException with words for the user
     */
    static void requireDevice(Path device) throws IOException {
        if (!Files.exists(device)) {
            throw new IOException("there is no " + device + "; load the kernel's module with 'modprobe fuse'");
        }
        if (!Files.isReadable(device) || !Files.isWritable(device)) {
            throw new IOException("user " + System.getProperty("user.name") + " may not open " + device
                    + "; root can allow it with 'chmod 666 " + device + "', or mount with -o allow_other");
        }
    }

    private static void checkEmpty(Path directory) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            if (entries.iterator().hasNext()) {
                throw new IOException(
                        directory + " is not empty; its entries would be hidden (-o nonempty mounts anyway)");
            }
        } catch (NotDirectoryException e) {
            throw new IOException(directory + " is not a directory; give one to mount on", e);
        }
    }

    /** Whether the mount's process is gone; one that does not answer in time is not. */
    private static boolean isDead(Path directory) throws IOException {
        return DirectoryProbe.look(directory) == DirectoryProbe.Life.DEAD;
    }
}
