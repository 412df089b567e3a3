package org.octofs.server.store;

import java.util.Arrays;

/** Deferred actions with their two numbers, kept without allocating once it has grown. Confined to the worker. */
final class ActionList {
    private DeferredAction[] actions = new DeferredAction[16];
    private long[] firsts = new long[16];
    private long[] seconds = new long[16];
    private int count;

    void add(DeferredAction action, long first, long second) {
        if (count == actions.length) {
            actions = Arrays.copyOf(actions, count * 2);
            firsts = Arrays.copyOf(firsts, count * 2);
            seconds = Arrays.copyOf(seconds, count * 2);
        }
        actions[count] = action;
        firsts[count] = first;
        seconds[count] = second;
        count++;
    }

    void runForward() {
        for (int i = 0; i < count; i++) {
            actions[i].run(firsts[i], seconds[i]);
        }
        count = 0;
    }

    void runBackward() {
        while (count > 0) {
            count--;
            actions[count].run(firsts[count], seconds[count]);
        }
    }

    void clear() {
        count = 0;
    }
}
