/**
 * What the fabric takes from the operating system of its host: memory that other processes can map, futexes, and who a
 * process is. The only package of the fabric with native calls; read {@link org.octofs.rpc.fabric.host.SharedMemory}
 * first. Threading: said per class. Must not know: connections, verbs.
 */
package org.octofs.rpc.fabric.host;
