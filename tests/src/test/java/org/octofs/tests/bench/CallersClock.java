package org.octofs.tests.bench;

import java.util.function.LongSupplier;

/** The machine's clock, which counts what one thread asks of it. */
final class CallersClock implements LongSupplier {
    private final Thread caller = Thread.currentThread();
    private long questions;

    @Override
    public long getAsLong() {
        if (Thread.currentThread().equals(caller)) {
            questions++;
        }
        return System.nanoTime();
    }

    /** Of the thread that has made this; asked by that thread. */
    long questions() {
        return questions;
    }
}
