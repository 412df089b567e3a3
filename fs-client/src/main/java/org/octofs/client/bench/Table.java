package org.octofs.client.bench;

import java.util.Arrays;

/** Collects the rows of {@link TableCommand} and whether they hold. One thread. */
final class Table {
    private final Report report;
    private int asked;
    private int held;

    /** What a ratio of value by limit has to be. */
    record Goal(double ratio, boolean atLeast) {
        static Goal atLeast(double ratio) {
            return new Goal(ratio, true);
        }

        static Goal atMost(double ratio) {
            return new Goal(ratio, false);
        }

        boolean isHeldBy(double found) {
            return Double.isFinite(found) && (atLeast ? found >= ratio : found <= ratio);
        }

        @Override
        public String toString() {
            return (atLeast ? ">= " : "<= ") + ratio;
        }
    }

    Table(Report report) {
        this.report = report;
    }

    /** A row whose ratio is the median over runs; {@code values} and {@code limits} are of the same runs. */
    void row(String name, String unit, double[] values, double[] limits, Goal goal) {
        double[] ratios = new double[values.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = values[i] / limits[i];
        }
        double ratio = median(ratios);
        boolean holds = goal.isHeldBy(ratio);
        asked++;
        held += holds ? 1 : 0;
        add(name, unit, median(values), median(limits), ratio, goal.toString(), holds ? "yes" : "no");
    }

    /** A row that this run does not measure. */
    void notAsked(String name, String goal, String why) {
        add(name, "", "", "", "", goal, "not asked: " + why);
    }

    private void add(String name, String unit, Object value, Object limit, Object ratio, String goal, String verdict) {
        report.add(new Row(name)
                .with("unit", unit)
                .with("value", value)
                .with("limit", limit)
                .with("ratio", ratio)
                .with("goal", goal)
                .with("held", verdict));
    }

    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    boolean allHold() {
        return held == asked;
    }

    String summary() {
        return held + " of " + asked + " rows hold";
    }
}
