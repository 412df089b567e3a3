package org.octofs.server.lease;

import java.util.ArrayList;
import java.util.List;
import org.octofs.rpc.rpc.RpcRequest;

/** What is to be told to a client that has leases. Confined to the worker. */
final class LeaseClient {
    /** Recalls that one client may have before it; with more it begins anew. */
    static final int PENDING_MAX = 4096;

    final long id;
    final int sessionIndex;
    /** Recalls that are not acknowledged, in order. Those at the front were told. */
    final List<Recall> pending = new ArrayList<>();

    int told;
    long word;
    /** It cannot be told everything any more, or has no session: it has to begin anew. */
    boolean broken;

    /** How often it was heard. A client that lives is heard as soon as it was told something. */
    long heard;

    RpcRequest parked;
    long parkedUntilNanos;

    /** One thing to drop; {@code name} is for a directory's names only. */
    static final class Recall {
        final long number;
        final Lease lease;
        final byte[] name;

        Recall(long number, Lease lease, byte[] name) {
            this.number = number;
            this.lease = lease;
            this.name = name;
        }
    }

    LeaseClient(long id, int sessionIndex) {
        this.id = id;
        this.sessionIndex = sessionIndex;
    }

    /** From now on its word reads what it was not told. */
    void breakOff() {
        broken = true;
        pending.clear();
        told = 0;
    }

    boolean hasNews() {
        return told < pending.size();
    }

    /** The client has dropped it. Null if it is not known (any more). */
    Recall acknowledged(long number) {
        for (int i = 0; i < told; i++) {
            if (pending.get(i).number == number) {
                told--;
                return pending.remove(i);
            }
        }
        return null;
    }

    /** What was told and is over need not be acknowledged. What was not told has to be: the client still believes in its lease. */
    void forgetWhatIsOver() {
        for (int i = told - 1; i >= 0; i--) {
            if (pending.get(i).lease.isOver()) {
                pending.remove(i);
                told--;
            }
        }
    }
}
