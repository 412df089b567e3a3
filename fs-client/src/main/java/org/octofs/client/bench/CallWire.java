package org.octofs.client.bench;

/**
 * One way in which clients can call a server: the same message of {@link #MESSAGE_BYTES} there, one back. A client has one call
 * outstanding; one thread drives all clients, so that the server is measured and not the scheduler of the machine that has them all.
 *
 * <p>The first eight bytes of a message are a number; the answer has the next one, and is checked.
 */
interface CallWire extends AutoCloseable {
    /** One line of the cache, and as large as a header of the product's RPC with a number behind it. */
    int MESSAGE_BYTES = 64;

    /** Clients at most. */
    int CLIENTS_MAX = 128;

    /** Learns of answers. */
    @FunctionalInterface
    interface Answers {
        /** The call of this client is over. */
        void answered(int client) throws Exception;
    }

    /** Sends the next call of a client. */
    void call(int client) throws Exception;

    /** Delivers answers; waits for some time if there are none. */
    void poll(Answers answers) throws Exception;

    /** Before a stretch of calls: for a server that must not use the processor when others are measured. */
    default void wake() throws Exception {}

    /** After it. */
    default void rest() throws Exception {}

    /** Processor time of the server's process so far, with what it has spent looking for work. */
    long serverCpuNanos();

    @Override
    void close();
}
