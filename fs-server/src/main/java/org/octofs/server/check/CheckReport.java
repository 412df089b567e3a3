package org.octofs.server.check;

import java.util.List;

/**
 * What a check has found.
 *
 * @param findings in words; errors that a repair has mended are among them
 * @param errorCount errors found, those that were too many to be kept in words included
 * @param leftCount errors that are still there: all of them, or those that the repair could not mend
 * @param counts what there is
 */
public record CheckReport(List<Finding> findings, long errorCount, long leftCount, Counts counts) {
    /** Exit code of fsck(8): nothing wrong. */
    public static final int EXIT_CLEAN = 0;

    /** Exit code of fsck(8): errors, all of them corrected. */
    public static final int EXIT_CORRECTED = 1;

    /** Exit code of fsck(8): errors left. */
    public static final int EXIT_ERRORS_LEFT = 4;

    /**
     * What was looked at.
     *
     * @param inodes in use, orphans included
     * @param dentries names
     * @param orphans inodes without a name, which the next start frees
     * @param fileBlocks blocks of 4 KiB that files have
     * @param lentBlocks blocks lent to clients
     * @param checkedBlocks blocks whose checksum was compared
     * @param transactions transactions that were in doubt and are ended
     */
    public record Counts(
            long inodes,
            long dentries,
            long orphans,
            long fileBlocks,
            long lentBlocks,
            long checkedBlocks,
            long transactions) {}

    /** Whether nothing was wrong. */
    public boolean isClean() {
        return errorCount == 0;
    }

    /** The errors, without the notes. */
    public List<Finding> errors() {
        return findings.stream().filter(Finding::isError).toList();
    }

    /** As fsck(8). */
    public int exitCode() {
        if (errorCount == 0) {
            return EXIT_CLEAN;
        }
        return leftCount == 0 ? EXIT_CORRECTED : EXIT_ERRORS_LEFT;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append(errorCount).append(" errors, ").append(leftCount).append(" left\n");
        for (Finding finding : findings) {
            text.append(finding.isError() ? "  " : "  (note) ").append(finding).append('\n');
        }
        return text.toString();
    }
}
