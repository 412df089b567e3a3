/**
 * The vocabulary that client and server share: message buffers, the message header and error numbers.
 *
 * <p>Read {@link org.octofs.rpc.protocol.MessageBuffer} first, then {@link org.octofs.rpc.protocol.MessageHeaderLayout}.
 * The bodies of the messages live in a package below this one. Nothing here has a thread or performs I/O, and
 * nothing here knows how messages travel.
 */
package org.octofs.rpc.protocol;
