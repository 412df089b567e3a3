package org.octofs.server.check;

/**
 * One thing that was found.
 *
 * @param severity how bad it is
 * @param node pool of which node, -1 if it is about the cluster
 * @param ino inode that it is about, 0 if none
 * @param poolOffset where in the pool, 0 if nowhere in particular
 * @param problem what is wrong, in words
 * @param remedy what a repair does about it, or what the user has to do
 * @param repairable whether {@code --repair} mends it
 */
public record Finding(
        Severity severity, int node, long ino, long poolOffset, String problem, String remedy, boolean repairable) {
    /** How bad a finding is. */
    public enum Severity {
        /** Nothing wrong: what the next start does anyway, and is done. */
        NOTE,
        /** The file system contradicts itself. */
        ERROR
    }

    /** Whether something is wrong. */
    public boolean isError() {
        return severity == Severity.ERROR;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        if (node >= 0) {
            text.append("node ").append(node);
            if (poolOffset > 0) {
                text.append(" offset ").append(poolOffset);
            }
            text.append(": ");
        }
        text.append(problem);
        if (!remedy.isEmpty()) {
            text.append("; ").append(remedy);
        }
        return text.toString();
    }
}
