package org.octofs.client.nio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.CopyOption;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.List;
import java.util.Set;

/** Copies of single files, links and (empty) directories. */
final class Copies {
    private static final int BUFFER_BYTES = 1 << 20;

    private Copies() {}

    static void copy(OctoPath source, OctoPath target, List<CopyOption> options) throws IOException {
        boolean follow = !options.contains(LinkOption.NOFOLLOW_LINKS);
        LinkOption[] links = follow ? new LinkOption[0] : new LinkOption[] {LinkOption.NOFOLLOW_LINKS};
        PosixFileAttributes attributes = Files.readAttributes(source, PosixFileAttributes.class, links);
        if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            if (Files.isSameFile(source, target)) {
                return;
            }
            if (!options.contains(StandardCopyOption.REPLACE_EXISTING)) {
                throw new FileAlreadyExistsException(target.toString());
            }
            Files.delete(target);
        }
        if (attributes.isDirectory()) {
            Files.createDirectory(target);
        } else if (attributes.isSymbolicLink()) {
            Files.createSymbolicLink(target, Files.readSymbolicLink(source));
            return;
        } else {
            copyBytes(source, target);
        }
        PosixFileAttributeView view = Files.getFileAttributeView(target, PosixFileAttributeView.class);
        view.setPermissions(attributes.permissions());
        if (options.contains(StandardCopyOption.COPY_ATTRIBUTES)) {
            view.setOwner(attributes.owner());
            view.setGroup(attributes.group());
            view.setTimes(attributes.lastModifiedTime(), attributes.lastAccessTime(), null);
        }
    }

    private static void copyBytes(OctoPath source, OctoPath target) throws IOException {
        try (SeekableByteChannel from = Files.newByteChannel(source);
                SeekableByteChannel to =
                        Files.newByteChannel(target, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
            while (from.read(buffer.clear()) > 0) {
                to.write(buffer.flip());
            }
        }
    }
}
