/**
 * What all transports share: the table of exported regions, grants, the state of a connection, the receive queue. Read
 * {@link org.octofs.rpc.fabric.transport.AbstractConnection} first. Threading: said per class. Must not know: any transport in particular.
 */
package org.octofs.rpc.fabric.transport;
