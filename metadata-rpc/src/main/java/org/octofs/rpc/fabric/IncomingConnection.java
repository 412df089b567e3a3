package org.octofs.rpc.fabric;

/**
 * Somebody who wants to connect.
 *
 * @param privateData what the peer sent with its connect; at most {@link Fabric#PRIVATE_DATA_BYTES_MAX} bytes
 * @param transport the transport that both ends can use
 * @param process the peer's process
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, never compared
public record IncomingConnection(byte[] privateData, TransportKind transport, PeerProcess process) {}
