package org.octofs.server.txn;

import java.util.ArrayList;
import java.util.List;

/** One participant of a transaction: what to ask it for, and what it has locked. Confined to the worker. */
final class CollectedNode {
    final int node;
    final List<Wanted> wanted = new ArrayList<>(4);
    /** Pool offset of the release word, 0 while nothing is locked there. */
    long releaseOffset;

    int incarnation;
    /** A COLLECT was sent and has not been answered. */
    boolean waiting;
    /** A COLLECT has no answer: something may be locked, nobody knows where. */
    boolean unknown;

    /** One item of the next COLLECT. */
    @SuppressWarnings("ArrayRecordComponent") // compared and copied by nobody
    record Wanted(int kind, int flags, long ino, int shard, byte[] name, Entry entry) {}

    CollectedNode(int node) {
        this.node = node;
    }
}
