/**
 * What a crash may leave behind: every operation is stopped at each fence of each server, the possible contents of the pools are
 * built, real servers recover on them, and what they show is compared with a model.
 *
 * <p>Read {@link org.octofs.tests.crash.Enumeration} first. Everything happens in one thread, over a network on which a verb takes
 * effect at once, and time passes only when nothing else happens: a run repeats itself event by event.
 */
package org.octofs.tests.crash;
