package org.octofs.rpc.cluster;

import java.nio.file.Path;

/**
 * One node of a cluster.
 *
 * @param id 0 to nodes - 1
 * @param host name or address that clients and servers connect to
 * @param port TCP port of its server
 * @param pool its pool file, as its own server sees it
 */
public record ClusterNode(int id, String host, int port, Path pool) {
    /** host:port. */
    public String address() {
        return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
    }
}
