package org.octofs.server.store;

/**
 * Something that waits for the end of a transaction. Implementations are long-lived objects, so that registering one
 * allocates nothing; what they need to know comes in two numbers.
 */
@FunctionalInterface
public interface DeferredAction {
    /** Runs on the worker thread; must not fail and must not begin a transaction. */
    void run(long first, long second);
}
