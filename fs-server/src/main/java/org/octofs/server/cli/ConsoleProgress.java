package org.octofs.server.cli;

import java.io.Console;
import java.io.PrintWriter;
import java.util.function.LongSupplier;
import org.octofs.pmem.medium.Progress;
import org.octofs.server.recovery.RecoveryProgress;

/** Says how far something is that takes longer than a second: on a terminal in place, else a line now and then. */
final class ConsoleProgress implements Progress, RecoveryProgress {
    private static final long FIRST_NANOS = 1_000_000_000L;
    private static final long TERMINAL_NANOS = 200_000_000L;
    private static final long LOG_NANOS = 5_000_000_000L;

    private final PrintWriter out;
    private final boolean terminal;
    private final LongSupplier clock;
    private final String title;
    private long nextNanos;
    private boolean shown;

    ConsoleProgress(PrintWriter out, boolean terminal, LongSupplier clock, String title) {
        this.out = out;
        this.terminal = terminal;
        this.clock = clock;
        this.title = title;
        this.nextNanos = clock.getAsLong() + FIRST_NANOS;
    }

    @Override
    public void advance(long doneBytes, long totalBytes) {
        advance(title, doneBytes, totalBytes);
    }

    @Override
    public void advance(String phase, long done, long total) {
        long now = clock.getAsLong();
        if (now - nextNanos < 0) {
            return;
        }
        nextNanos = now + (terminal ? TERMINAL_NANOS : LOG_NANOS);
        shown = true;
        long percent = total == 0 ? 100 : done * 100 / total;
        if (terminal) {
            out.print("\r" + phase + ": " + percent + " % ");
        } else {
            out.println(phase + ": " + percent + " %");
        }
        out.flush();
    }

    /** Whether somebody looks at a terminal. */
    @SuppressWarnings("SystemConsoleNull") // it does return null, without a terminal on standard input
    static boolean isTerminal() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    /** Leaves the line. */
    void end() {
        if (shown && terminal) {
            out.print("\r\033[K");
            out.flush();
        }
    }
}
