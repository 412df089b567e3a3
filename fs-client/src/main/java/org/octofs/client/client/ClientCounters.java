package org.octofs.client.client;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts of one client since its start. Thread-safe; reading is not a snapshot over several counters. */
public final class ClientCounters {
    private static final int OP_CODES = 64;

    private final Map<ClientCounter, LongAdder> counters = new EnumMap<>(ClientCounter.class);
    private final LongAdder[] rpcs = new LongAdder[OP_CODES];

    /** All zero. */
    public ClientCounters() {
        for (ClientCounter counter : ClientCounter.values()) {
            counters.put(counter, new LongAdder());
        }
        for (int i = 0; i < rpcs.length; i++) {
            rpcs[i] = new LongAdder();
        }
    }

    /** The count. */
    public long get(ClientCounter counter) {
        return counters.get(counter).sum();
    }

    /** RPCs sent with this op code of {@link org.octofs.rpc.protocol.OpCode}. */
    public long rpcs(int opCode) {
        return rpcs[opCode].sum();
    }

    /** Counts one. */
    public void increment(ClientCounter counter) {
        counters.get(counter).increment();
    }

    /** Counts several. */
    public void add(ClientCounter counter, long amount) {
        counters.get(counter).add(amount);
    }

    /** Counts one RPC. */
    public void rpc(int opCode) {
        rpcs[opCode].increment();
        increment(ClientCounter.RPCS);
    }
}
