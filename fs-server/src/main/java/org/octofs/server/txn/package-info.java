/**
 * Transactions over several homes: collect-dispatch.
 *
 * <p>Read {@link org.octofs.server.txn.CollectDispatchTransaction} first (the coordinator's side of one transaction), then
 * {@link org.octofs.server.txn.Participant} (locks for others, and what is done when they are released), then
 * {@link org.octofs.server.txn.CoordinatorLog} (what is committed and not yet known to be durable everywhere). The five
 * operations are subclasses of the first and hold nothing but POSIX. {@link org.octofs.server.txn.DistributedTransactions}
 * wires everything up. All of it is confined to the server's worker thread and goes on by continuations; nothing waits.
 *
 * <p>Invariants, each of which some crash needs:
 * <ol>
 *   <li>A participant's lock record is durable before its COLLECT is answered, and is cleared only by the log record that
 *       makes the dispatched images durable.
 *   <li>Between lock and release nobody but the coordinator stores in a locked slot (but for the participant's own version
 *       word), and the coordinator stores there only while the lock is held.
 *   <li>A coordinator forgets a committed transaction only when every participant has said that it holds no lock of it; a
 *       transaction that a coordinator does not know has not happened and never will.
 *   <li>A release word counts only for the incarnation of the participant that it names. After a restart the participant's
 *       replayed log may have overwritten images that had arrived, so it asks for them again.
 * </ol>
 */
package org.octofs.server.txn;
