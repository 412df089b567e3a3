/**
 * Deterministic simulation of whole clusters under faults: from a seed, in one thread. Read
 * {@link org.octofs.tests.simulation.Simulation} first; {@link org.octofs.tests.simulation.SimulationMain} runs many seeds.
 */
package org.octofs.tests.simulation;
