/** What strangers and other versions meet at a listener, and what a client meets at a stranger. */
package org.octofs.rpc.fabric.handshake;
