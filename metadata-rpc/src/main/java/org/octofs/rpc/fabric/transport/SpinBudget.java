package org.octofs.rpc.fabric.transport;

/**
 * How long a thread goes on looking before it parks. Waking a parked thread costs its waker a system call and itself some
 * microseconds, and it may land on its waker's processor and push that aside. So a thread whose last waits were mostly over
 * within {@link #LONG_FACTOR} times the configured spin looks that long; one whose waits are longer spins briefly and parks. An
 * idle thread waits long a few times and parks at once from then on, so it uses no processor.
 *
 * <p>Looking long is for processors that have nothing else to do. Yielding alone does not leave them to others: a fair
 * scheduler gives the yielding thread its share all the same, and then lets it look in vain while the other has work. So a
 * thread that was put aside while it yielded parks, this time or, if something had arrived meanwhile, the next time. If it
 * was for a whole slice, it has to earn its long looks anew.
 *
 * <p>Threading: confined to the thread that waits.
 */
final class SpinBudget {
    /** The long wait, in brief ones. */
    static final int LONG_FACTOR = 50;

    /**
     * A yield longer than this many brief waits has let somebody else work. Shorter ones are interrupts and kernel threads;
     * parking for those would cost wakers a system call each.
     */
    static final int ASIDE_FACTOR = 5;

    /** A yield longer than this many brief waits has let somebody have a slice of the scheduler's. */
    static final int SLICE_FACTOR = 25;

    /** So often may others work for a moment during a wait: who is waited for, and whom that one waits for. */
    static final int TURNS = 4;

    /** A thread that parks at once looks every so many waits. */
    static final int PARKS = 64;

    private static final int CROWDS_MAX = 8;
    private static final int CROWDS_PARK = 4;

    private static final int QUIET_FRACTION = 8;
    private static final int SCORE_MAX = 16;
    private static final int SCORE_LONG = 8;
    private static final int MISS = 4;

    private final long briefNanos;
    private int score;
    private boolean parkNext;
    private int turns;
    private int crowds;
    private int parks;
    private boolean looked;

    SpinBudget(long briefNanos) {
        this.briefNanos = briefNanos;
    }

    /** How long to spin without yielding: about a round trip. Whoever is waited for may need this processor. */
    long quietNanos() {
        return briefNanos / QUIET_FRACTION;
    }

    /** How long to look before parking, the brief spin included. */
    long nanos() {
        return score >= SCORE_LONG ? briefNanos * LONG_FACTOR : briefNanos;
    }

    /** Whether to look at all before parking; asked once a wait. */
    boolean mayLook() {
        looked = !parkNext && (crowds < CROWDS_PARK || ++parks >= PARKS);
        parkNext = false;
        turns = 0;
        if (looked) {
            parks = 0;
        }
        return looked;
    }

    /**
     * Tells how long a yield took, with one look at the queue in vain.
     *
     * @return whether somebody else wants the processor: park now
     */
    boolean isCrowded(long yieldNanos) {
        if (yieldNanos > briefNanos * SLICE_FACTOR) {
            score = 0;
        }
        turns += yieldNanos > quietNanos() ? 1 : 0;
        return yieldNanos > briefNanos * ASIDE_FACTOR || turns > TURNS;
    }

    /** As {@link #isCrowded}, but the look found something: the next wait parks then. */
    void arrivedAfter(long yieldNanos) {
        parkNext = isCrowded(yieldNanos);
    }

    /** A wait is over, or was given up; parked or not, it took this long. */
    void waited(long nanos) {
        if (looked) {
            crowds = turns > TURNS ? Math.min(CROWDS_MAX, crowds + 1) : Math.max(0, crowds - 1);
        }
        if (nanos <= briefNanos * LONG_FACTOR) {
            score = Math.min(SCORE_MAX, score + 1);
        } else {
            score = Math.max(0, score - MISS);
        }
    }
}
