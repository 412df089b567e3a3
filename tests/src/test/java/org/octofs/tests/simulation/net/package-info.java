/**
 * The fabric of the simulation: reliable connections as {@link org.octofs.rpc.fabric.Fabric} describes them, with delays, failures and
 * what may still be on the wire after them. Read {@link org.octofs.tests.simulation.net.SimNetwork} first. Must not know: file systems.
 */
package org.octofs.tests.simulation.net;
