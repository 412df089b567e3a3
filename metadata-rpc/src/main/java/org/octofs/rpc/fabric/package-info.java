/**
 * One-sided memory over several transports, with the semantics of a reliable-connected queue pair: READ, WRITE and
 * WRITE_WITH_IMM on memory that the peer has registered and granted, in posting order, on connections that fail as a
 * whole.
 *
 * <p>Read {@link org.octofs.rpc.fabric.Fabric} first. {@link org.octofs.rpc.fabric.FabricFactory} makes the real one
 * (shm and tcp chosen per peer by {@link org.octofs.rpc.fabric.TransportChooser}); {@code loopback} has the
 * deterministic one for tests and simulation.
 *
 * <p>Threading: everything that calls back (an incoming connection, an arrived immediate, a failed connection) does so
 * inside {@link org.octofs.rpc.fabric.ReceiveQueue#poll}, so a worker that polls one queue needs no locks of its own.
 * Posting and awaiting work from any thread.
 *
 * <p>Must not know: persistent memory, files of the namespace, the messages that travel in the memory.
 */
package org.octofs.rpc.fabric;
