package org.octofs.pmem.log;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.octofs.pmem.layout.LogHeadLayout;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.pmem.medium.CrashPoint;
import org.octofs.pmem.medium.RecordingMedium;

/**
 * Transactions through a log whose ring they go round more than twice, with what must be true after a crash. Transaction number i
 * sets the same four words, each in a line of its own, to i; every n-th one is retained over the next eight.
 */
final class CrashWorkload {
    private static final Zone ZONE =
            new Zone(ZoneKind.REDO_LOG, 8192, LogHeadLayout.RING_START + RedoLog.CAPACITY_BYTES_MIN);
    private static final long TARGET = ZONE.endOffset();
    private static final int WORDS = 4;
    private static final int RETAINED_TYPE = 7;
    private static final int RETAINED_FOR = 8;

    private final int transactions;
    private final int retainEvery;
    private final Set<Long> retained = new TreeSet<>();
    private long acknowledged;
    private long incarnation;
    /** Number whose retained record is being released or retained just now, so that either is right. */
    private long undecided = -1;

    /** @param retainEvery every which transaction is retained; 0 for none */
    CrashWorkload(int transactions, int retainEvery) {
        this.transactions = transactions;
        this.retainEvery = retainEvery;
    }

    static RecordingMedium formatted() {
        RecordingMedium medium = new RecordingMedium(TARGET + 64 * WORDS);
        RedoLog.format(medium, ZONE);
        return medium;
    }

    /** Runs until the end or the crash; true when it got to the end. */
    boolean run(RecordingMedium medium) {
        try {
            RedoLog log = new RedoLog(medium, ZONE, ++incarnation);
            log.replay(view -> {});
            List<long[]> releaseAt = new ArrayList<>();
            for (int i = 1; i <= transactions; i++) {
                oneTransaction(log, i, releaseAt);
            }
            // No checkpoint at the end: with nothing after it, its last fence would never be needed.
            return true;
        } catch (CrashPoint e) {
            return false;
        }
    }

    private void oneTransaction(RedoLog log, int number, List<long[]> releaseAt) {
        boolean keep = retainEvery > 0 && number % retainEvery == 0;
        LogRecord r = log.begin(keep ? RETAINED_TYPE : 1).txnId(number);
        for (int w = 0; w < WORDS; w++) {
            r.updateLong(TARGET + 64L * w, number);
        }
        if (keep) {
            r.payload(1, MemorySegment.ofArray(new long[] {number * 1000L}), 0, Long.BYTES);
            undecided = number;
        }
        long sequence = log.commit(r);
        acknowledged = number;
        if (keep) {
            log.retain(sequence);
            retained.add((long) number);
            undecided = -1;
            releaseAt.add(new long[] {number + RETAINED_FOR, sequence, number});
        }
        log.apply(r);
        releaseAt.removeIf(entry -> {
            if (entry[0] > number) {
                return false;
            }
            log.release(entry[1]);
            retained.remove(entry[2]);
            return true;
        });
    }

    /** Recovers the image; answers what is wrong in words, or null. */
    String checkAfterCrash(MemorySegment image) {
        RecordingMedium medium = RecordingMedium.of(image);
        String problem = recover(medium, incarnation + 1);
        return problem != null ? problem : useAgain(medium, incarnation + 2);
    }

    /** Recovers with a crash at each fence of recovery, then recovers from each image of that. */
    String checkAfterCrashInRecovery(MemorySegment image, int limit) {
        RecordingMedium whole = RecordingMedium.of(image).startRecording();
        String problem = recover(whole, incarnation + 1);
        if (problem != null) {
            return problem;
        }
        for (long event : whole.fenceEvents()) {
            RecordingMedium medium = RecordingMedium.of(image).startRecording().stopAt(event);
            try {
                recover(medium, incarnation + 1);
                return "recovery is not the same twice";
            } catch (CrashPoint e) {
                List<String> problems = new ArrayList<>();
                medium.crashImages(limit, event).forEach(second -> {
                    String found = recover(RecordingMedium.of(second), incarnation + 2);
                    if (found != null) {
                        problems.add("after a crash at event " + event + " of recovery: " + found);
                    }
                });
                if (!problems.isEmpty()) {
                    return problems.getFirst();
                }
            }
        }
        return null;
    }

    private String recover(RecordingMedium medium, long newIncarnation) {
        try {
            Set<Long> seen = new HashSet<>();
            List<String> problems = new ArrayList<>();
            RedoLog log = new RedoLog(medium, ZONE, newIncarnation);
            log.replay(view -> {
                if (view.type() == RETAINED_TYPE) {
                    if (!seen.add(view.txnId())) {
                        problems.add("record of transaction " + view.txnId() + " shown twice");
                    }
                    while (view.next()) {
                        if (view.isPayload() && view.data().get(ValueLayout.JAVA_LONG, 0) != view.txnId() * 1000) {
                            problems.add("payload of transaction " + view.txnId() + " is wrong");
                        }
                    }
                    log.retain(view.sequence());
                }
            });
            for (long number : retained) {
                if (!seen.contains(number) && number != undecided) {
                    problems.add("retained record of transaction " + number + " is gone");
                }
            }
            checkWords(medium, problems);
            return problems.isEmpty() ? null : problems.getFirst();
        } catch (CrashPoint e) {
            throw e;
        } catch (RuntimeException e) {
            return e.toString();
        }
    }

    /** The log must also be fit for more: once round the ring, and open again. */
    private static String useAgain(RecordingMedium medium, long newIncarnation) {
        RedoLog log = new RedoLog(medium, ZONE, newIncarnation);
        log.replay(ReplayVisitor.NONE);
        long last = 0;
        for (int i = 0; i < 12; i++) {
            LogRecord r = log.begin(1).updateLong(TARGET, i).updateLong(TARGET + 64, i);
            last = log.commit(r);
            log.apply(r);
        }
        long[] found = new long[1];
        new RedoLog(medium, ZONE, newIncarnation + 1).replay(view -> found[0] = view.sequence());
        return found[0] == last ? null : "used again, the log ends with " + found[0] + " instead of " + last;
    }

    private void checkWords(RecordingMedium medium, List<String> problems) {
        long first = medium.memory().get(ValueLayout.JAVA_LONG, TARGET);
        for (int w = 1; w < WORDS; w++) {
            long word = medium.memory().get(ValueLayout.JAVA_LONG, TARGET + 64L * w);
            if (word != first) {
                problems.add("half a transaction: word 0 is " + first + ", word " + w + " is " + word);
            }
        }
        if (first < acknowledged || first > acknowledged + 1) {
            problems.add("state of transaction " + first + ", but " + acknowledged + " was acknowledged");
        }
    }
}
