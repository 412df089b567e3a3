package org.octofs.tests.posix;

import java.util.List;

/**
 * The calls on files that tests make. Paths are bytes, relative to a folder that the test has for itself; numbers are those
 * of Linux. Each call fails with {@link PosixException}.
 *
 * <p>Threading: one thread at a time.
 */
public interface Posix extends AutoCloseable {
    /** open(2); answers a descriptor. */
    int open(byte[] path, int flags, int mode) throws PosixException;

    void close(int descriptor) throws PosixException;

    /** pread(2). */
    byte[] read(int descriptor, long offset, int length) throws PosixException;

    /** pwrite(2); with O_APPEND the offset means nothing. Answers the bytes written. */
    int write(int descriptor, long offset, byte[] data) throws PosixException;

    void sync(int descriptor) throws PosixException;

    void truncate(int descriptor, long size) throws PosixException;

    void truncate(byte[] path, long size) throws PosixException;

    void allocate(int descriptor, int mode, long offset, long length) throws PosixException;

    /** lseek(2) with SEEK_DATA (3) or SEEK_HOLE (4). */
    long seek(int descriptor, long offset, int whence) throws PosixException;

    /** copy_file_range(2). */
    long copy(int source, long offset, int target, long targetOffset, long length) throws PosixException;

    void makeDirectory(byte[] path, int mode) throws PosixException;

    void makeFifo(byte[] path, int mode) throws PosixException;

    void makeSymlink(byte[] target, byte[] path) throws PosixException;

    void link(byte[] path, byte[] newPath) throws PosixException;

    /** linkat(2) of an open file by its descriptor. */
    void link(int descriptor, byte[] newPath) throws PosixException;

    void unlink(byte[] path) throws PosixException;

    void removeDirectory(byte[] path) throws PosixException;

    /** renameat2(2). */
    void rename(byte[] path, byte[] newPath, int flags) throws PosixException;

    byte[] readSymlink(byte[] path) throws PosixException;

    /** Names in a directory, without "." and "..", in no order. */
    List<byte[]> list(byte[] path) throws PosixException;

    /** lstat(2). */
    FileStatus status(byte[] path) throws PosixException;

    FileStatus status(int descriptor) throws PosixException;

    void changeMode(byte[] path, int mode) throws PosixException;

    void changeMode(int descriptor, int mode) throws PosixException;

    /** lchown(2). */
    void changeOwner(byte[] path, int uid, int gid) throws PosixException;

    /** utimensat(2) without following a symbolic link. */
    void changeTimes(byte[] path, FileStatus.Time accessed, FileStatus.Time modified) throws PosixException;

    void setAttribute(byte[] path, String name, byte[] value, int flags) throws PosixException;

    byte[] attribute(byte[] path, String name) throws PosixException;

    List<String> attributes(byte[] path) throws PosixException;

    void removeAttribute(byte[] path, String name) throws PosixException;

    /** The calls that follow are made by this user, with one group besides. Not everywhere. */
    default void become(int uid, int gid, int group) throws PosixException {
        throw new UnsupportedOperationException("no users here");
    }

    @Override
    void close();
}
