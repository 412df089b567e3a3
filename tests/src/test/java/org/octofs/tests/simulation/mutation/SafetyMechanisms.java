package org.octofs.tests.simulation.mutation;

import static org.octofs.tests.simulation.mutation.Mutation.answers;
import static org.octofs.tests.simulation.mutation.Mutation.resultIs;
import static org.octofs.tests.simulation.mutation.Mutation.withoutCall;

import java.util.List;

/**
 * What the product does to be safe, each left out once.
 *
 * <p>Not among them, because some hundred seeds do not see it: fencing at other servers (no client is away for longer than its lease
 * here; {@code StoppedClientTest} and {@code DeadClientLoansTest} see it), and that fallocate looks at the file anew
 * ({@code SharedFileTest}).
 */
final class SafetyMechanisms {
    static final List<Mutation> ALL = List.of(
            // Data, at the client.
            resultIs("reads are not validated", "client.data.FileReader", "fetch", 1),
            answers("copies are not validated", "client.data.BlockCopier", "isUnmoved", 1),
            answers("a read goes on behind the end", "client.data.ReadPlan", "endsFile", 0),
            withoutCall("pushes are not persisted before the commit", "client.data.Persister", "persist", "ask"),
            answers("pushes are not looked at after a restart", "client.data.Persister", "verify", 0),
            withoutCall("a cut tail is not zeroed", "client.data.FileShaper", "truncate", "clear"),
            withoutCall(
                    "a commit puts its time over one that was set",
                    "client.client.Metadata",
                    "setAttributes",
                    "commitIfDirty"),
            // Data, at the home.
            answers("commits do not conflict", "server.data.CommitHandler", "conflicts", 0),
            // The log.
            withoutCall("answers go out before the record is durable", "pmem.log.RedoLog", "commit", "fence"),
            withoutCall("records are not replayed", "pmem.log.RedoLog", "replayOne", "store"),
            // Requests.
            answers("a resend after a restart is done again", "server.ops.Dispatcher", "answerAgain", 0),
            // Sessions, opens and locks.
            answers("a restarted server is not told what is held", "client.link.ServerLink", "reclaim", 0),
            answers("locks are granted before all are told", "server.lease.FileLocks", "isOpen", 1),
            answers("file locks do not conflict", "server.lease.FileLockTable", "conflict", 0),
            answers("an open file is freed with its last name", "server.session.OpenTable", "isOpen", 0),
            // Leases.
            answers("leases are not recalled", "server.lease.LeaseTable", "isFree", 1),
            // Transactions.
            answers("collected objects may be others'", "server.txn.CollectHandler", "isHeldByOther", 0),
            answers("a restarted coordinator forgets", "server.txn.CoordinatorLog", "replayed", 0),
            answers("a coordinator does not dispatch again", "server.txn.CoordinatorLog", "answered", 0),
            answers("locks in doubt are not resolved", "server.txn.InDoubtResolver", "doWork", 0),
            withoutCall("released images are not logged", "server.txn.Participant", "commitBatch", "update"),
            withoutCall("readers are let in to locked inodes", "server.txn.Participant", "lock", "putLong"));

    private SafetyMechanisms() {}
}
