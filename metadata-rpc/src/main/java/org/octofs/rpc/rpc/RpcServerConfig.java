package org.octofs.rpc.rpc;

import java.net.InetSocketAddress;

/**
 * How a server is reached. Immutable.
 *
 * @param address where to listen; port 0 picks one
 * @param sessionsMax clients at most, up to {@link RpcLimits#SESSIONS_MAX}
 * @param mapEpoch the epoch that requests must not be older than; 0 if there is no map yet
 */
public record RpcServerConfig(InetSocketAddress address, int sessionsMax, int mapEpoch) {
    /** Checks the values. */
    public RpcServerConfig {
        if (sessionsMax < 1 || sessionsMax > RpcLimits.SESSIONS_MAX) {
            throw new IllegalArgumentException(
                    "sessionsMax must be 1 to " + RpcLimits.SESSIONS_MAX + ": " + sessionsMax);
        }
    }

    /** A server for up to 1024 clients that knows no map yet. */
    public static RpcServerConfig of(InetSocketAddress address) {
        return new RpcServerConfig(address, 1024, 0);
    }
}
