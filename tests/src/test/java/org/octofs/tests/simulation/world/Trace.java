package org.octofs.tests.simulation.world;

import java.util.ArrayDeque;
import java.util.function.Consumer;

/** What has happened in a run: a hash of it all, and the last lines. */
public final class Trace {
    private static final int LINES_KEPT = 400;
    private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

    private final Consumer<String> sink;
    private final boolean withSteps;
    private final ArrayDeque<String> last = new ArrayDeque<>();
    private long hash;

    /**
     * A trace.
     *
     * @param sink gets every line at once; null: nobody does
     * @param withSteps whether each step of a thread is a line
     */
    public Trace(Consumer<String> sink, boolean withSteps) {
        this.sink = sink;
        this.withSteps = withSteps;
    }

    void step(long nowNanos, String thread) {
        mix(nowNanos);
        mix(thread.hashCode());
        if (withSteps) {
            line(nowNanos, "    step " + thread);
        }
    }

    void add(long nowNanos, String line) {
        mix(nowNanos);
        mix(line.hashCode());
        line(nowNanos, line);
    }

    private void line(long nowNanos, String text) {
        String line = String.format("%14.6f ms  %s", nowNanos / 1e6, text);
        if (sink != null) {
            sink.accept(line);
        }
        if (last.size() == LINES_KEPT) {
            last.removeFirst();
        }
        last.addLast(line);
    }

    private void mix(long value) {
        hash = Long.rotateLeft((hash ^ value) * MIX, 29);
    }

    /** Hash of everything that has happened. */
    public long hash() {
        return hash;
    }

    /** The last lines. */
    public String tail() {
        return String.join("\n", last);
    }
}
