/**
 * {@code octofs dev}: a cluster of local processes for development and tests. Start with {@link
 * org.octofs.client.dev.DevCluster}. One thread; knows other modules only as processes it starts.
 */
package org.octofs.client.dev;
