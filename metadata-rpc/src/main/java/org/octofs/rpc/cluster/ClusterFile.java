package org.octofs.rpc.cluster;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;

/**
 * Reads and writes the small file that describes a cluster, in the format of {@link Properties}:
 *
 * <pre>
 * cluster.id = 0d9c0b6e-6f6e-4c39-a3c5-0c5d0a7f6a11
 * cluster.name = demo
 * cluster.shards = 16
 * node.0.address = 10.0.0.1:7400
 * node.0.pool = /mnt/pmem/octofs.pool
 * node.1.address = 10.0.0.2:7400
 * node.1.pool = /mnt/pmem/octofs.pool
 * </pre>
 */
public final class ClusterFile {
    /** Shards if the file does not say. */
    public static final int DEFAULT_SHARDS = 16;

    private static final String SHARDS_KEY = "cluster.shards";

    private final Path file;
    private final Properties properties = new Properties();
    private final Set<String> used = new HashSet<>();

    private ClusterFile(Path file) {
        this.file = file;
    }

    /** The map that {@code file} describes. */
    public static ClusterMap read(Path file) throws ClusterFileException {
        ClusterFile reader = new ClusterFile(file);
        reader.load();
        return reader.parse();
    }

    /** Writes {@code map} so that {@link #read} answers it. */
    public static void write(Path file, ClusterMap map) throws IOException {
        StringBuilder text = new StringBuilder("# OctoFS cluster\n");
        text.append("cluster.id = ").append(map.id()).append('\n');
        text.append("cluster.name = ").append(map.name()).append('\n');
        text.append("cluster.shards = ").append(map.shardCount()).append('\n');
        for (ClusterNode node : map.nodes()) {
            String prefix = "node." + node.id();
            text.append(prefix).append(".address = ").append(node.address()).append('\n');
            String pool = node.pool().toString().replace("\\", "\\\\");
            text.append(prefix).append(".pool = ").append(pool).append('\n');
        }
        Files.writeString(file, text);
    }

    private void load() throws ClusterFileException {
        try {
            properties.load(new StringReader(Files.readString(file, StandardCharsets.UTF_8)));
        } catch (NoSuchFileException e) {
            throw new ClusterFileException("no cluster file " + file + "; see docs/operations.md for how to write one");
        } catch (MalformedInputException | IllegalArgumentException e) {
            throw new ClusterFileException(file + " is not a text file of key = value lines");
        } catch (IOException e) {
            throw new ClusterFileException("cannot read " + file + ": " + e.getMessage());
        }
    }

    private ClusterMap parse() throws ClusterFileException {
        UUID id = id(required("cluster.id"));
        String name = optional("cluster.name", "octofs");
        int shards = number(SHARDS_KEY, optional(SHARDS_KEY, Integer.toString(DEFAULT_SHARDS)), ClusterMap.SHARDS_MAX);
        List<ClusterNode> nodes = new ArrayList<>();
        Set<String> addresses = new HashSet<>();
        while (properties.containsKey("node." + nodes.size() + ".address")) {
            ClusterNode node = node(nodes.size());
            if (!addresses.add(node.address())) {
                throw problem("node." + node.id() + ".address", "is also the address of another node");
            }
            nodes.add(node);
        }
        if (nodes.isEmpty()) {
            throw problem("node.0.address", "is missing: a cluster has at least one node");
        }
        if (nodes.size() > ClusterMap.NODES_MAX) {
            throw problem("node." + ClusterMap.NODES_MAX + ".address", "is one node too many");
        }
        for (String key : properties.stringPropertyNames()) {
            if (!used.contains(key)) {
                throw problem(key, "is not known here (nodes are numbered from 0 without gaps); remove or correct it");
            }
        }
        return new ClusterMap(id, name, 1, shards, nodes);
    }

    private ClusterNode node(int index) throws ClusterFileException {
        String addressKey = "node." + index + ".address";
        String address = required(addressKey);
        int colon = address.lastIndexOf(':');
        if (colon <= 0) {
            throw problem(addressKey, "is '" + address + "'; write host:port");
        }
        String host = address.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        int port = number(addressKey, address.substring(colon + 1), 65535);
        String poolKey = "node." + index + ".pool";
        String pool = required(poolKey);
        try {
            Path path = Path.of(pool);
            if (!path.isAbsolute()) {
                throw problem(poolKey, "is '" + pool + "'; write an absolute path");
            }
            return new ClusterNode(index, host, port, path);
        } catch (InvalidPathException e) {
            throw problem(poolKey, "is not a path: " + e.getMessage());
        }
    }

    private UUID id(String text) throws ClusterFileException {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw problem("cluster.id", "is '" + text + "'; write a UUID, as uuidgen prints it");
        }
    }

    private int number(String key, String text, int max) throws ClusterFileException {
        try {
            int value = Integer.parseInt(text);
            if (value >= 1 && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw problem(key, "has '" + text + "' where a number from 1 to " + max + " belongs");
        }
        throw problem(key, "has " + text + ", which is not in 1 to " + max);
    }

    private String required(String key) throws ClusterFileException {
        String value = optional(key, "");
        if (value.isEmpty()) {
            throw problem(key, "is missing");
        }
        return value;
    }

    private String optional(String key, String otherwise) {
        used.add(key);
        return properties.getProperty(key, otherwise).trim();
    }

    private ClusterFileException problem(String key, String what) {
        return new ClusterFileException(file + ": " + key + " " + what);
    }
}
