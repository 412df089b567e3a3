package org.octofs.pmem.medium;

/** What a pool file is opened for. */
public enum OpenMode {
    /** Read and write; at most one in all processes, and no check beside it. */
    SERVE,
    /** Read only; the file cannot change through this medium, and no server may have it open. */
    CHECK,
    /** Read and write, but what is written stays in this process and is gone with it; no server may have the file open. */
    PRIVATE
}
