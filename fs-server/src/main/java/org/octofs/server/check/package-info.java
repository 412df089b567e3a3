/**
 * The offline check of a whole cluster, {@code octofs fsck}: what the pools say, each for itself and about each other.
 *
 * <p>Read {@link org.octofs.server.check.ClusterCheck} first, then {@link org.octofs.server.check.CheckRound}. The pools are
 * brought to where a start of all servers would bring them (log replayed, transactions in doubt ended), in private copies
 * unless they are to be repaired; then one class per kind of structure looks at it, and reports to
 * {@link org.octofs.server.check.Findings}. One thread. Shares the layouts with the server and none of its indexes, so that a
 * fault there is not repeated here.
 */
package org.octofs.server.check;
