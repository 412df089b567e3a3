package org.octofs.client.dev;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.octofs.rpc.cluster.TransportConverter;
import org.octofs.rpc.fabric.TransportChoice;
import picocli.CommandLine.Option;

/** Options that the dev commands share. */
final class DevOptions {
    private static final String DEFAULT_POOLS = "/dev/shm";

    @Option(
            names = "--state",
            paramLabel = "DIR",
            description = "Folder for pid files, logs and ports; one per cluster (default: ${DEFAULT-VALUE}).")
    Path state = DevState.defaultFolder();

    @Option(
            names = "--pools",
            paramLabel = "DIR",
            description = "Folder for the pools, a memory file system or a DAX mount (default: ${DEFAULT-VALUE}).")
    Path pools = Path.of(DEFAULT_POOLS);

    DevCluster cluster() {
        return new DevCluster(devState(), System.out::println);
    }

    DevState devState() {
        return new DevState(state, pools);
    }

    /** What is asked of a new cluster and its mount. */
    static final class Start {
        @Option(names = "--nodes", paramLabel = "N", description = "Servers to run (default: ${DEFAULT-VALUE}).")
        int nodes = 2;

        @Option(
                names = "--pool-size",
                paramLabel = "SIZE",
                description = "Persistent memory per node, as 512M or 2G (default: ${DEFAULT-VALUE}).")
        String poolSize = "2G";

        @Option(
                names = "--shards",
                paramLabel = "N",
                description = "Parts that the namespace is cut into (default: ${DEFAULT-VALUE}).")
        int shards = 16;

        @Option(names = "--mount", paramLabel = "DIR", description = "Mount there; made if it does not exist.")
        Path mount;
    }

    /** How the mount is made. */
    static final class Mounting {
        @Option(
                names = "--transport",
                defaultValue = "auto",
                paramLabel = "auto|shm|tcp|verbs",
                description = "How clients and servers reach each other (default: ${DEFAULT-VALUE}).")
        private TransportChoice transport;

        String transportName() {
            return TransportConverter.name(transport);
        }

        @Option(names = "-o", paramLabel = "OPTIONS", description = "Mount options, as in 'octofs mount -o'.")
        List<String> options = new ArrayList<>();

        List<String> mountOptions() {
            List<String> all = new ArrayList<>();
            for (String group : options) {
                all.addAll(List.of(group.split(",", -1)));
            }
            all.removeIf(String::isBlank);
            if (transport != TransportChoice.AUTO) {
                all.add("transport=" + transportName());
            }
            return all;
        }
    }
}
