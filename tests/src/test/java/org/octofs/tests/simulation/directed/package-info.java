/**
 * Cases that random simulations have found, made small: a cluster of the simulation, a few calls, and one fault or one other call that
 * comes at each possible step in turn. Read {@link org.octofs.tests.simulation.directed.Rig} first.
 */
package org.octofs.tests.simulation.directed;
