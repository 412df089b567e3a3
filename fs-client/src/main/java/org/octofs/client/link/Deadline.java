package org.octofs.client.link;

/**
 * When an operation has to end. The clock is asked at the first wait only: most READs are there at once, and where the clock is a system
 * call, as in User-Mode Linux, asking it takes as long as a READ. Confined to one thread.
 */
public final class Deadline {
    private final Links links;
    private long nanos;
    private boolean isSet;

    Deadline(Links links) {
        this.links = links;
    }

    /** An operation begins: it has the usual time from its first wait on. */
    void begin() {
        isSet = false;
    }

    void set(long deadlineNanos) {
        nanos = deadlineNanos;
        isSet = true;
    }

    /** On the fabric's clock. */
    public long nanos() {
        if (!isSet) {
            set(links.deadline());
        }
        return nanos;
    }
}
