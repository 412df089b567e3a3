package org.octofs.rpc.fabric;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Accepts everybody who does not ask to be refused, grants what it was given, and records what arrives and fails.
 * Called by the queue's thread, read by the test's.
 */
public final class RecordingAcceptor implements ConnectionAcceptor {
    /** Private data that asks to be refused. */
    public static final byte[] REFUSE_ME = "refuse me".getBytes(UTF_8);

    /** What the refusal says. */
    public static final String REFUSAL = "this test refuses you";

    /** The reply to those who are accepted. */
    public static final byte[] REPLY = "welcome".getBytes(UTF_8);

    private record Grant(MemoryRegion region, Set<Access> access) {}

    private final List<Grant> grants = new ArrayList<>();
    private final BlockingQueue<Connection> connected = new LinkedBlockingQueue<>();
    private final BlockingQueue<Integer> immediates = new LinkedBlockingQueue<>();
    private final BlockingQueue<Connection> failed = new LinkedBlockingQueue<>();
    private volatile IncomingConnection lastIncoming;
    private volatile ImmediateReceiver extraReceiver = (connection, immediate) -> {};

    private final byte[] reply;

    /** Replies {@link #REPLY}. */
    public RecordingAcceptor() {
        this(REPLY);
    }

    /** Replies something of the test's. */
    public RecordingAcceptor(byte[] reply) {
        this.reply = reply;
    }

    /** Grants a region to every connection to come. */
    public void grants(MemoryRegion region, Set<Access> access) {
        synchronized (grants) {
            grants.add(new Grant(region, access));
        }
    }

    /** Called for each immediate, in the queue's thread, after it was recorded. */
    public void alsoReceive(ImmediateReceiver receiver) {
        extraReceiver = receiver;
    }

    @Override
    public AcceptDecision onConnect(IncomingConnection incoming) {
        lastIncoming = incoming;
        if (Arrays.equals(incoming.privateData(), REFUSE_ME)) {
            return AcceptDecision.reject(REFUSAL);
        }
        return AcceptDecision.accept(reply);
    }

    @Override
    public void onConnected(Connection connection) {
        connection.receiver((from, immediate) -> {
            immediates.add(immediate);
            extraReceiver.onImmediate(from, immediate);
        });
        synchronized (grants) {
            for (Grant grant : grants) {
                connection.grant(grant.region, grant.access);
            }
        }
        connected.add(connection);
    }

    @Override
    public void onFailed(Connection connection) {
        failed.add(connection);
        connection.close();
    }

    /** What the last peer said. */
    public IncomingConnection lastIncoming() {
        return lastIncoming;
    }

    /** The next accepted connection. */
    public Connection takeConnected() {
        return take(connected, "connection");
    }

    /** The next immediate. */
    public int takeImmediate() {
        return take(immediates, "immediate");
    }

    /** The next failure. */
    public Connection takeFailed() {
        return take(failed, "failure");
    }

    /** Immediates not taken yet. */
    public int immediateCount() {
        return immediates.size();
    }

    /** Forgets the immediates that were not taken. */
    public void clearImmediates() {
        immediates.clear();
    }

    /** Failures not taken yet. */
    public int failedCount() {
        return failed.size();
    }

    private static <T> T take(BlockingQueue<T> queue, String what) {
        try {
            T taken = queue.poll(20, TimeUnit.SECONDS);
            if (taken == null) {
                throw new AssertionError("no " + what + " within 20 s");
            }
            return taken;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
