package org.octofs.pmem;

/**
 * No room is left for what was asked: free segments, or log space that retained records hold. Nothing was changed; the
 * caller turns this into its "no space" answer.
 */
public final class PoolFullException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param message what is full, how much was wanted and how much there is */
    public PoolFullException(String message) {
        super(message);
    }
}
