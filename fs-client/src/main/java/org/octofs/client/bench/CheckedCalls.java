package org.octofs.client.bench;

import org.octofs.client.bench.CallWire.Answers;

/** The numbers of the calls that the clients of a {@link CallWire} have under way, and what became of them. One thread. */
final class CheckedCalls {
    private final long[] numbers;
    private Answers listener;
    private Exception failure;

    CheckedCalls(int clients) {
        numbers = new long[clients];
    }

    /** The number of a client's next call. */
    long next(int client) {
        return ++numbers[client];
    }

    /** Who learns of answers from now on. */
    void listener(Answers newListener) {
        listener = newListener;
    }

    /** A client has got this answer to its call. */
    void answered(int client, long found) {
        long expected = numbers[client] + 1;
        if (found != expected) {
            failed(new IllegalStateException(
                    "client " + client + " expected answer " + expected + " and got " + found + "; this is a bug"));
            return;
        }
        try {
            listener.answered(client);
        } catch (Exception e) {
            failed(e);
        }
    }

    /** A call has failed; {@link #check} says so. */
    void failed(Exception reason) {
        failure = reason;
    }

    /** Throws what went wrong so far. */
    void check() throws Exception {
        if (failure != null) {
            throw failure;
        }
    }
}
