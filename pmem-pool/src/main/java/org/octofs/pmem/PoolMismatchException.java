package org.octofs.pmem;

import java.io.IOException;

/** This is not the pool that was asked for, or not one that this version can serve. Nothing was changed on it. */
public final class PoolMismatchException extends IOException {
    private static final long serialVersionUID = 1L;

    /** What does not fit. */
    public enum Reason {
        /** No superblock: the file is something else, or was never formatted. */
        NOT_A_POOL,
        /** Made by a version with another format. */
        OTHER_VERSION,
        /** Uses an incompatible feature that this version does not know. */
        UNKNOWN_FEATURE,
        /** The file is shorter or longer than the superblock says. */
        SIZE_DIFFERS,
        /** Belongs to another cluster. */
        OTHER_CLUSTER,
        /** Belongs to another node of this cluster. */
        OTHER_NODE,
        /** Magic is there, but neither copy of the superblock is intact. */
        BOTH_SUPERBLOCKS_BAD
    }

    private final Reason reason;

    public PoolMismatchException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
