package org.octofs.fuse.fuse;

import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.octofs.client.client.Attributes;

/**
 * Tells the second time that the kernel walks a path from the first. After an ESTALE the kernel looks all names of the path up
 * once more; a second ESTALE it hands to the program, which no local file system does. So of a task that was answered ESTALE
 * the latest look-ups are kept for a while: an inode that was found by one of these and is gone again is a name that somebody
 * changes just now, not a dead handle.
 *
 * <p>Costs one look into an empty map unless somebody was answered ESTALE lately. Bounded: tasks, look-ups of each, time.
 * Thread-safe; a task has one request at a time.
 */
final class SecondWalks {
    private static final int TASKS_MAX = 256;
    private static final int STEPS = 8;
    private static final long LIFE_NANOS = 2_000_000_000L;

    private final LongSupplier clock;
    private final ConcurrentHashMap<Integer, Walk> walks = new ConcurrentHashMap<>();

    /** One that found something: {@code name} in {@code parent} was {@code found}. */
    static final class Step {
        final long parent;
        final byte[] name;
        final Attributes found = new Attributes();

        private Step(long parent, byte[] name, Attributes found) {
            this.parent = parent;
            this.name = name;
            this.found.copy(found);
        }
    }

    /** The latest look-ups first; guarded by itself. */
    private static final class Walk {
        private final long began;
        private final ArrayDeque<Step> latest = new ArrayDeque<>(STEPS);

        Walk(long began) {
            this.began = began;
        }
    }

    SecondWalks(LongSupplier clock) {
        this.clock = clock;
    }

    /** A task is about to be answered ESTALE. */
    void begin(int task) {
        long now = clock.getAsLong();
        if (walks.size() >= TASKS_MAX) {
            walks.values().removeIf(walk -> isOver(walk, now));
            if (walks.size() >= TASKS_MAX) {
                walks.clear();
            }
        }
        walks.put(task, new Walk(now));
    }

    /** A task has looked up a name. */
    void found(int task, long parent, byte[] name, Attributes attributes) {
        Walk walk = of(task);
        if (walk != null) {
            synchronized (walk) {
                if (walk.latest.size() == STEPS) {
                    walk.latest.removeLast();
                }
                walk.latest.addFirst(new Step(parent, name, attributes));
            }
        }
    }

    /** The latest look-up that found an inode for a task since that was answered ESTALE; null if none did, or long ago. */
    Step find(int task, long inode) {
        Walk walk = of(task);
        if (walk == null) {
            return null;
        }
        synchronized (walk) {
            for (Step step : walk.latest) {
                if (step.found.ino() == inode) {
                    return step;
                }
            }
        }
        return null;
    }

    private Walk of(int task) {
        Walk walk = walks.isEmpty() ? null : walks.get(task);
        if (walk != null && isOver(walk, clock.getAsLong())) {
            walks.remove(task, walk);
            return null;
        }
        return walk;
    }

    private static boolean isOver(Walk walk, long now) {
        return now - walk.began > LIFE_NANOS;
    }
}
