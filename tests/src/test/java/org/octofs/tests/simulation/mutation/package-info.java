/**
 * Tests the simulation itself: safety mechanisms of the product are taken out of its class files, one at a time, and the simulation has
 * to turn red. Read {@link org.octofs.tests.simulation.mutation.Mutation} first.
 */
package org.octofs.tests.simulation.mutation;
