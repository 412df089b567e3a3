/**
 * Clusters of servers in one thread: pools on recording media, calls and one-sided writes over a network of queues that a seed
 * orders. {@link org.octofs.server.txn.TxnCluster} is the place to begin.
 */
package org.octofs.server.txn;
