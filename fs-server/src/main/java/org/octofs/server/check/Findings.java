package org.octofs.server.check;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Collects what one round finds, and how to mend it. Repairs wait until the round is over, and only those of the first stage
 * that has any are made: what comes later may only have been a consequence.
 * Threading: confined to the check.
 */
final class Findings {
    /** In which order things are mended. */
    enum Stage {
        /** Slots, pages, table entries. */
        STRUCTURE,
        /** What refers to what. */
        REFERENCE,
        /** What cannot be reached. */
        REACHABLE,
        /** What counts the others. */
        COUNT
    }

    /** Mends one thing, durably. */
    @FunctionalInterface
    interface Repair {
        /** Runs when the round is over. */
        void run() throws RepairException;
    }

    private final int findingsMax;
    private final List<Finding> kept = new ArrayList<>();
    private final Map<Stage, List<Repair>> repairs = new EnumMap<>(Stage.class);
    private final Map<Stage, List<Finding>> repairFindings = new EnumMap<>(Stage.class);
    private long errorCount;
    private long manualCount;

    Findings(int findingsMax) {
        this.findingsMax = findingsMax;
    }

    /** Nothing is wrong. */
    void note(int node, String text) {
        keep(new Finding(Finding.Severity.NOTE, node, 0, 0, text, "", false));
    }

    /** Something is wrong that nobody can mend here. */
    void error(int node, long ino, long offset, String problem, String advice) {
        errorCount++;
        manualCount++;
        keep(new Finding(Finding.Severity.ERROR, node, ino, offset, problem, advice, false));
    }

    /** Something is wrong and can be mended. */
    void error(int node, long ino, long offset, String problem, String remedy, Stage stage, Repair repair) {
        errorCount++;
        Finding finding = new Finding(Finding.Severity.ERROR, node, ino, offset, problem, remedy, true);
        keep(finding);
        if (repairs.computeIfAbsent(stage, _ -> new ArrayList<>()).size() < findingsMax) {
            repairs.get(stage).add(repair);
            repairFindings.computeIfAbsent(stage, _ -> new ArrayList<>()).add(finding);
        }
    }

    private void keep(Finding finding) {
        if (kept.size() < findingsMax) {
            kept.add(finding);
        }
    }

    List<Finding> kept() {
        return kept;
    }

    long errorCount() {
        return errorCount;
    }

    /** Errors without a repair. */
    long manualCount() {
        return manualCount;
    }

    /** The first stage with something to do, null if there is none. */
    Stage firstStage() {
        return repairs.isEmpty() ? null : repairs.keySet().iterator().next();
    }

    List<Repair> repairs(Stage stage) {
        return repairs.get(stage);
    }

    /** What the repairs of a stage are for, in the same order. */
    List<Finding> repairFindings(Stage stage) {
        return repairFindings.get(stage);
    }
}
