/**
 * Servers and clients of the product as processes of the simulated world. Read {@link org.octofs.tests.simulation.cluster.SimCluster}
 * first. Must not know: what the clients do and whether it is right.
 */
package org.octofs.tests.simulation.cluster;
