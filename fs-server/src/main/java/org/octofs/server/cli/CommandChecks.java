package org.octofs.server.cli;

import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.cluster.ClusterNode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks of arguments that both commands make. */
final class CommandChecks {
    private CommandChecks() {}

    /** The node of the cluster with this id, or wrong usage. */
    static ClusterNode node(CommandSpec spec, ClusterMap map, int nodeId) {
        if (nodeId < 0 || nodeId >= map.nodeCount()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "there is no node " + nodeId + " in the cluster file; it has nodes 0 to " + (map.nodeCount() - 1));
        }
        return map.node(nodeId);
    }
}
