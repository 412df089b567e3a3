/**
 * One thread in which many run: virtual threads whose scheduler is the simulation, a clock that moves when nobody can go on,
 * and processes that can be ended or paused at any moment. Read {@link org.octofs.tests.simulation.world.SimWorld} first. Must
 * not know: file systems, networks.
 */
package org.octofs.tests.simulation.world;
