package org.octofs.tests.simulation;

import org.octofs.client.client.OpenFile;
import org.octofs.rpc.protocol.Errno;
import org.octofs.tests.model.Op;

/** An open file of a worker, and whether it holds a lock by it. */
final class Handle {
    final OpenFile file;
    final long lockOwner;
    boolean isLocked;
    boolean hasRanges;

    Handle(OpenFile file, long lockOwner) {
        this.file = file;
        this.lockOwner = lockOwner;
    }

    /** What it may hold, after a call on it. */
    void called(Op op) {
        boolean isRefused = op.errno == Errno.EAGAIN.value;
        switch (op.kind) {
            case LOCK -> isLocked |= !isRefused;
            case UNLOCK -> isLocked &= op.errno != 0;
            case RANGE_LOCK -> hasRanges |= !isRefused;
            default -> {}
        }
    }

    long ino() {
        return file.ino();
    }
}
