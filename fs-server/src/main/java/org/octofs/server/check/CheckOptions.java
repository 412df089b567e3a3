package org.octofs.server.check;

import org.octofs.server.recovery.RecoveryProgress;

/**
 * How to check.
 *
 * @param data whether to read all file data and compare it with its checksums
 * @param progress told how far it is
 * @param findingsMax how many findings are kept in words; the others are only counted
 */
public record CheckOptions(boolean data, RecoveryProgress progress, int findingsMax) {
    private static final int FINDINGS_MAX = 10_000;

    /** Metadata only, quietly. */
    public static CheckOptions defaults() {
        return new CheckOptions(false, RecoveryProgress.NONE, FINDINGS_MAX);
    }

    /** Also reads the data. */
    public CheckOptions withData() {
        return new CheckOptions(true, progress, findingsMax);
    }

    /** Says how far it is. */
    public CheckOptions withProgress(RecoveryProgress value) {
        return new CheckOptions(data, value, findingsMax);
    }
}
