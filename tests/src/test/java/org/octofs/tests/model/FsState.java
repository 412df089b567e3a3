package org.octofs.tests.model;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.octofs.rpc.protocol.FileMode;

/**
 * A whole file system of the model, immutable. Inodes that are made by calls whose answer is not known have negative numbers until
 * somebody sees their real one.
 */
public final class FsState {
    static final long ROOT = 1;

    private final Map<Long, Node> nodes;
    private int hash;

    private FsState(Map<Long, Node> nodes) {
        this.nodes = nodes;
    }

    /** Just the root directory. */
    public static FsState empty(int rootMode) {
        return new FsState(Map.of(ROOT, Node.of(FileMode.DIRECTORY | rootMode, 2, ROOT, "")));
    }

    Node node(long ino) {
        return nodes.get(ino);
    }

    FsState with(long ino, Node node) {
        Map<Long, Node> copy = new HashMap<>(nodes);
        copy.put(ino, node);
        return new FsState(copy);
    }

    FsState change(long ino, UnaryOperator<Node> change) {
        return with(ino, change.apply(nodes.get(ino)));
    }

    /** The inode with a temporary number turns out to have another one. */
    FsState bind(long temporary, long ino) {
        Map<Long, Node> copy = new HashMap<>();
        nodes.forEach((key, node) -> {
            Node bound = node;
            if (node.entries().containsValue(temporary)) {
                Map<String, Long> entries = new TreeMap<>();
                node.entries().forEach((name, child) -> entries.put(name, child == temporary ? ino : child));
                bound = bound.withEntries(entries);
            }
            if (node.parent() == temporary) {
                bound = bound.withParent(ino);
            }
            copy.put(key == temporary ? ino : key, bound);
        });
        return new FsState(copy);
    }

    /** Without what has no name, as far as nobody can still hold it. */
    public FsState withoutNameless(java.util.Set<Long> held) {
        Map<Long, Node> copy = new HashMap<>(nodes);
        copy.entrySet().removeIf(entry -> entry.getValue().links() == 0 && !held.contains(entry.getKey()));
        return copy.size() == nodes.size() ? this : new FsState(copy);
    }

    /** The files' content is no longer known, because their writer has died or was told that it is lost. */
    public FsState withFuzzy(long ino) {
        Node node = nodes.get(ino);
        return node == null || !node.isRegular() ? this : with(ino, node.withFuzzy());
    }

    /** Locks of an owner's are gone. */
    public FsState withoutLocks(java.util.function.LongPredicate owner) {
        Map<Long, Node> copy = new HashMap<>(nodes);
        copy.replaceAll((ino, node) -> {
            Map<Long, Boolean> locks = new TreeMap<>(node.locks());
            locks.keySet().removeIf(owner::test);
            Map<Range, Boolean> ranges = new TreeMap<>(node.ranges());
            ranges.keySet().removeIf(range -> owner.test(range.owner()));
            return locks.equals(node.locks()) && ranges.equals(node.ranges())
                    ? node
                    : node.withLocks(locks).withRanges(ranges);
        });
        return new FsState(copy);
    }

    /** Inodes with and without names. */
    public Map<Long, Integer> modes() {
        Map<Long, Integer> modes = new TreeMap<>();
        nodes.forEach((ino, node) -> modes.put(ino, node.mode()));
        return modes;
    }

    /** Whether two directories are one, or the first contains the other. */
    boolean isAncestor(long ancestor, long ino) {
        long at = ino;
        for (int depth = 0; depth <= nodes.size(); depth++) {
            if (at == ancestor) {
                return true;
            }
            Node node = nodes.get(at);
            if (at == ROOT || node == null) {
                return false;
            }
            at = node.parent();
        }
        return false;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FsState that && hashCode() == that.hashCode() && nodes.equals(that.nodes);
    }

    @Override
    public int hashCode() {
        if (hash == 0) {
            hash = nodes.hashCode() | 1;
        }
        return hash;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        new TreeMap<>(nodes)
                .forEach((ino, node) -> text.append(Long.toHexString(ino))
                        .append(": ")
                        .append(Integer.toOctalString(node.mode()))
                        .append(" links ")
                        .append(node.links())
                        .append(node.isRegular() ? " size " + node.content().size : "")
                        .append(node.isDirectory() ? " " + node.entries() : "")
                        .append('\n'));
        return text.toString();
    }
}
