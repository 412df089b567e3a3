package org.octofs.pmem.medium;

/** Told how far a long job on the medium is; called on the thread that does the job, often enough for a progress bar. */
@FunctionalInterface
public interface Progress {
    /** Ignores everything. */
    Progress NONE = (doneBytes, totalBytes) -> {};

    void advance(long doneBytes, long totalBytes);
}
