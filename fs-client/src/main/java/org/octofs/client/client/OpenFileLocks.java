package org.octofs.client.client;

import org.octofs.client.data.FileData;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a lock means for the data it protects, and what becomes of locks when a file is closed. Data of several clients is close-to-open;
 * a lock is to them what an open and a close are: what was written is committed before a lock is given up, and once one is
 * had the client looks whether others have changed the file. Thread-safe.
 */
final class OpenFileLocks {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFileLocks.class);

    private final Locks locks;
    private final FileData data;

    OpenFileLocks(Locks locks, FileData data) {
        this.locks = locks;
        this.data = data;
    }

    /** See {@link FsClient#lock}. */
    void lock(OpenFile file, LockSpec spec, long waitNanosMax) throws FsException {
        if (spec.type() != LockSpec.TYPE_WRITE && locks.givesUp(file.ino(), spec)) {
            // An error is for who syncs or closes; the lock goes all the same.
            data.commitForOthers(file.state());
        }
        locks.lock(file, spec, waitNanosMax);
        if (spec.type() != LockSpec.TYPE_UNLOCK) {
            data.revalidate(file.state());
        }
    }

    /** A lock that is in the way, see {@link FsClient#testLock}. */
    LockSpec test(OpenFile file, LockSpec spec) throws FsException {
        return locks.test(file.ino(), spec);
    }

    /** A descriptor was closed, and what was written is committed: its process has no POSIX lock on the file any more. */
    void closed(OpenFile file, long owner) throws FsException {
        if (owner != 0) {
            locks.dropPosix(file, owner);
        }
    }

    /**
     * The open file is gone, and with it all that was locked through it: its flock, and locks of open file descriptions. Processes have given
     * theirs up when they closed it.
     */
    void released(OpenFile file) {
        if (!file.hasLocked()) {
            return;
        }
        data.commitForOthers(file.state());
        try {
            locks.dropAll(file);
        } catch (FsException e) {
            LOG.warn("the locks of inode {} could not be dropped: {}", file.ino(), e.getMessage());
        }
    }
}
