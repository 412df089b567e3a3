package org.octofs.pmem.log;

/** Sees what replay finds. */
@FunctionalInterface
public interface ReplayVisitor {
    /** Looks at nothing. */
    ReplayVisitor NONE = view -> {};

    /**
     * Called once per record, oldest first, after its updates have been stored (but before they are durable). It may call
     * {@link RedoLog#retain} for the record it sees; it must not write to the log. A record that is in the log both as
     * written and as a carried copy is shown once.
     */
    void record(LogRecordView view);
}
