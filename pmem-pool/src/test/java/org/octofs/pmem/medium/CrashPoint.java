package org.octofs.pmem.medium;

/** Thrown by {@link RecordingMedium} in place of the event at which the machine is to stop. */
public final class CrashPoint extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CrashPoint(long event) {
        super("the machine stops at event " + event, null, false, false);
    }
}
