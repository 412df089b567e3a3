package org.octofs.pmem.medium;

/** What a pool file is opened for. */
public enum OpenMode {
    /** Read and write; at most one in all processes, and no check beside it. */
    SERVE,
    /** Read only; the file cannot change through this medium, and no server may have it open. */
    CHECK
}
