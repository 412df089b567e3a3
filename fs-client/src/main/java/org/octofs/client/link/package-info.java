/**
 * Talking to servers: one {@link org.octofs.client.link.ServerLink} per node, with its RPC client, its exported memory
 * and what has to be told it after a restart; {@link org.octofs.client.link.VerbBatch} for one-sided reads and writes.
 *
 * <p>Threading: links are thread-safe; a batch belongs to one thread. Must not know what the bytes mean.
 */
package org.octofs.client.link;
