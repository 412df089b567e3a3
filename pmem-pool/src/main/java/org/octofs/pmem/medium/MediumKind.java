package org.octofs.pmem.medium;

/** How a pool file is reached. */
public enum MediumKind {
    /** llpl and libpmem when they load, else a plain mapping; {@link PmemMedium#describe()} says which it became. */
    AUTO,
    /** llpl opens and holds the pool, libpmem flushes; fails when they do not load. */
    LLPL,
    /** Plain mapped file, no native library of persistent memory. */
    MAPPED
}
