/**
 * The fabric inside one process: the ordering and failure rules of the others without sockets, shared files or threads of
 * its own. Read {@link org.octofs.rpc.fabric.loopback.LoopbackNetwork} first: it is either <em>threaded</em> (verbs run at
 * once, callbacks in poll, for tests with real threads) or <em>stepped</em> (a
 * {@link org.octofs.rpc.fabric.loopback.LoopbackScheduler} decides when each verb takes effect, all in one thread, for
 * simulation). Must not know: who uses it.
 */
package org.octofs.rpc.fabric.loopback;
