package org.octofs.server.recovery;

/** Told how far recovery is; called on the worker's thread, some thousand times at most. */
@FunctionalInterface
public interface RecoveryProgress {
    /** Ignores everything. */
    RecoveryProgress NONE = (_, _, _) -> {};

    /**
     * Something was done.
     *
     * @param phase what is being done, in words
     * @param done of {@code total}
     */
    void advance(String phase, long done, long total);
}
