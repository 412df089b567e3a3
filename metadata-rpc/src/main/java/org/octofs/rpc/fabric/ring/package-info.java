/**
 * The ring in which arrivals land: written by any number of processes, read by one thread of its owner. Read
 * {@link org.octofs.rpc.fabric.ring.ArrivalRingLayout} first. Must not know: what the numbers in it mean.
 */
package org.octofs.rpc.fabric.ring;
