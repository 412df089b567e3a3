package org.octofs.client.nio;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import org.octofs.client.client.FsException;

/** Errnos as the exceptions that java.nio.file promises. */
final class Failures {
    private Failures() {}

    static IOException of(FsException e, Path path, Path other) {
        String file = path.toString();
        String second = other == null ? null : other.toString();
        FileSystemException failure = switch (e.errno()) {
            case ENOENT, ESTALE -> new NoSuchFileException(file, second, null);
            case EEXIST -> new FileAlreadyExistsException(second == null ? file : second);
            case ENOTEMPTY -> new DirectoryNotEmptyException(second == null ? file : second);
            case ENOTDIR -> new NotDirectoryException(file);
            case ELOOP -> new FileSystemLoopException(file);
            case EACCES, EPERM -> new AccessDeniedException(file, second, e.getMessage());
            default -> new FileSystemException(file, second, e.getMessage());
        };
        failure.initCause(e);
        return failure;
    }

    /** For readSymbolicLink, where EINVAL has a meaning of its own. */
    static IOException ofReadlink(FsException e, Path path) {
        return e.errno() == org.octofs.rpc.protocol.Errno.EINVAL
                ? new NotLinkException(path.toString())
                : of(e, path, null);
    }
}
