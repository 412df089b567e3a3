package org.octofs.client.link;

/** What one operation needs to run verbs: a batch, and, in a subclass, the memory that it moves. Confined to who has it. */
public abstract class Scratch {
    public final VerbBatch verbs;

    protected Scratch(VerbBatch verbs) {
        this.verbs = verbs;
    }
}
