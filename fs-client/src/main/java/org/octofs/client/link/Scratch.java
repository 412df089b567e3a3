package org.octofs.client.link;

/** What one operation needs to run verbs: a batch, when it has to end, and, in a subclass, the memory that it moves. Confined to who has it. */
public abstract class Scratch {
    public final VerbBatch verbs;

    /** Of the operation for which this was borrowed. */
    public final Deadline deadline;

    protected Scratch(Links links, int capacity) {
        verbs = new VerbBatch(links, capacity);
        deadline = new Deadline(links);
    }
}
