package org.octofs.fuse.fuse;

import java.lang.foreign.MemorySegment;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenDirectory;
import org.octofs.rpc.protocol.Errno;

/**
 * Open directories and what is listed of them.
 *
 * <p>Thread-safe. Ownership: of what is open until its release.
 */
final class Listings {
    // Cookies of "." and ".."; those of the client are larger.
    private static final long COOKIE_AFTER_SELF = 1;
    private static final long COOKIE_AFTER_PARENT = 2;
    private static final int TYPE_DIRECTORY = 0x4000;
    private static final byte[] SELF = {'.'};
    private static final byte[] PARENT = {'.', '.'};

    private final FsClient client;
    private final AdapterPolicy policy;
    private final Answers answers;
    private final RemovedDirectories removed;
    private final HandleTable<Opened> directories = new HandleTable<>();

    /** What a handle stands for; {@code directory} is null if it was removed already. */
    private record Opened(OpenDirectory directory) {}

    Listings(FsClient client, AdapterPolicy policy, RemovedDirectories removed, Answers answers) {
        this.client = client;
        this.policy = policy;
        this.removed = removed;
        this.answers = answers;
    }

    int openCount() {
        return directories.count();
    }

    /** What a directory was like when it was opened; null if it is not open. */
    Attributes attributesOfOpen(long inode) {
        Opened found = directories.find(opened -> opened.directory != null && opened.directory.ino() == inode);
        return found == null ? null : found.directory.attributes();
    }

    int open(RequestContext context, long inode, OpenReply out) {
        try {
            // Its home has forgotten it, or will soon.
            OpenDirectory directory = removed.contains(inode) ? null : client.openDirectory(inode);
            out.handle = directories.add(new Opened(directory));
            return out.handle == 0 ? -Errno.ENFILE.value : 0;
        } catch (FsException | RuntimeException | Error e) {
            return answers.ofInode(context, "opendir", inode, e);
        }
    }

    int read(long inode, long handle, long cookie, DirectoryBuffer out) {
        try {
            OpenDirectory directory = directory(handle);
            if (isEmptyForEver(inode, directory)) {
                return 0;
            }
            if (cookie < COOKIE_AFTER_SELF && !out.add(inode, TYPE_DIRECTORY, SELF, COOKIE_AFTER_SELF)) {
                return 0;
            }
            if (cookie < COOKIE_AFTER_PARENT
                    && !out.add(directory.parentIno(), TYPE_DIRECTORY, PARENT, COOKIE_AFTER_PARENT)) {
                return 0;
            }
            client.readDirectory(directory, cookie <= COOKIE_AFTER_PARENT ? 0 : cookie, out::add);
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answers.ofListing("readdir", inode, e);
        }
    }

    /**
     * Where the kernel may keep them, entries go out with their attributes. Where it may not, they would be worthless to it when it
     * comes for them; but the client has them then, and each look-up that follows is spared its round trip.
     */
    int readWithAttributes(long inode, long handle, long cookie, EntrySink out) {
        try {
            OpenDirectory directory = directory(handle);
            if (isEmptyForEver(inode, directory)) {
                return 0;
            }
            if (cookie < COOKIE_AFTER_SELF && !addDots(inode, SELF, COOKIE_AFTER_SELF, out)) {
                return 0;
            }
            if (cookie < COOKIE_AFTER_PARENT && !addDots(directory.parentIno(), PARENT, COOKIE_AFTER_PARENT, out)) {
                return 0;
            }
            ClientTranslation translation = ClientTranslation.ofThread();
            boolean kept = policy.timeoutSeconds() > 0;
            client.readDirectoryWithAttributes(
                    directory,
                    cookie <= COOKIE_AFTER_PARENT ? 0 : cookie,
                    out.roomBytes() / (EntrySink.ENTRY_BYTES + Long.BYTES),
                    (ino, type, names, nameOffset, nameLength, next, attributes) -> {
                        if (!kept || attributes == null) {
                            return out.add(null, ino, type, names, nameOffset, nameLength, next);
                        }
                        translation.attributes.copy(attributes);
                        translation.attributesTo(translation.entry.attributes);
                        translation.entry.attributesTimeoutSeconds = policy.timeoutSeconds();
                        translation.entry.entryTimeoutSeconds = policy.timeoutSeconds();
                        return out.add(translation.entry, ino, type, names, nameOffset, nameLength, next);
                    });
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answers.ofListing("readdirplus", inode, e);
        }
    }

    private static boolean addDots(long inode, byte[] name, long nextCookie, EntrySink out) {
        return out.add(null, inode, TYPE_DIRECTORY, MemorySegment.ofArray(name), 0, name.length, nextCookie);
    }

    /** Removed before or after it was opened: not even "." and ".." are in it. */
    private boolean isEmptyForEver(long inode, OpenDirectory directory) {
        return directory == null || removed.contains(inode);
    }

    private OpenDirectory directory(long handle) throws FsException {
        Opened opened = directories.get(handle);
        if (opened == null) {
            throw new FsException(Errno.EBADF);
        }
        return opened.directory;
    }

    int release(long inode, long handle) {
        try {
            Opened opened = directories.remove(handle);
            if (opened == null) {
                return -Errno.EBADF.value;
            }
            if (opened.directory != null) {
                client.releaseDirectory(opened.directory);
            }
            return 0;
        } catch (RuntimeException | Error e) {
            return answers.of("releasedir", inode, e);
        }
    }

    int sync(long inode, long handle) {
        try {
            OpenDirectory directory = directory(handle);
            if (!isEmptyForEver(inode, directory)) {
                client.syncDirectory(directory);
            }
            return 0;
        } catch (FsException | RuntimeException | Error e) {
            return answers.of("fsyncdir", inode, e);
        }
    }
}
