package org.octofs.rpc.rpc;

/** Something that a thread waits for in a {@link ReplyPump}. */
abstract class Waiter {
    /** The parked or about-to-park thread; set before it looks at {@link #isSettled} for the last time. */
    volatile Thread parked;

    /** Waits patiently, see {@link ReplyPump}. */
    volatile boolean patient;

    /** True when the wait is over. Called from many threads. */
    abstract boolean isSettled();

    /** Wakes the waiting thread if it has parked; call after settling. */
    final void wake() {
        Thread thread = parked;
        if (thread != null) {
            java.util.concurrent.locks.LockSupport.unpark(thread);
        }
    }
}
