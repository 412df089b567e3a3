package org.octofs.tests.simulation;

import org.octofs.client.client.OpenFile;

/** An open file of a worker, and whether it holds a lock by it. */
final class Handle {
    final OpenFile file;
    final long lockOwner;
    boolean isLocked;

    Handle(OpenFile file, long lockOwner) {
        this.file = file;
        this.lockOwner = lockOwner;
    }

    long ino() {
        return file.ino();
    }
}
