package org.octofs.tests.crash;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the file system should show; a picture after each call that changes it. */
final class ModelFs implements FsCalls {
    private static final byte[] UNWRITTEN = new byte[0];

    private final Node root = new Node('d', 0x1ED);
    private final List<List<String>> pictures = new ArrayList<>();
    private boolean usesBlocks;
    private Node unnamed;

    private static final class Node {
        final char type;
        int permissions;
        int names = 1;
        String target = "";
        long size;
        final Map<String, Node> entries = new TreeMap<>();
        final Map<Long, byte[]> blocks = new TreeMap<>();
        final Map<String, byte[]> xattrs = new LinkedHashMap<>();

        Node(char type, int permissions) {
            this.type = type;
            this.permissions = permissions;
        }

        int nlink() {
            return type == 'd'
                    ? 2
                            + (int) entries.values().stream()
                                    .filter(e -> e.type == 'd')
                                    .count()
                    : names;
        }
    }

    /** Forgets the pictures so far and begins with one of now. */
    void startPictures() {
        pictures.clear();
        changed();
    }

    /** At first, and after each changing call. */
    List<List<String>> pictures() {
        return pictures;
    }

    /** Whether anything so far needs room for data. */
    boolean usesBlocks() {
        return usesBlocks;
    }

    private void changed() {
        List<String> lines = new ArrayList<>();
        draw("", root, lines);
        pictures.add(lines);
    }

    private static void draw(String path, Node node, List<String> lines) {
        lines.add(line(path.isEmpty() ? "/" : path, node));
        node.entries.forEach((name, child) -> draw(path + "/" + name, child, lines));
    }

    private static String line(String path, Node node) {
        StringBuilder blocks = new StringBuilder();
        node.blocks.forEach((at, bytes) -> blocks.append(' ')
                .append(at)
                .append(bytes.length == 0 ? ":zero" : ":" + Integer.toHexString(Blocks.checksum(bytes))));
        return Picture.line(
                path,
                node.type,
                node.permissions,
                node.nlink(),
                node.type == 'd' ? 0 : node.size,
                node.type == 'l' ? Blocks.checksum(node.target.getBytes(StandardCharsets.UTF_8)) : 0,
                node.xattrs.isEmpty() ? 0 : Blocks.checksum(encode(node.xattrs)),
                blocks.toString());
    }

    private static byte[] encode(Map<String, byte[]> xattrs) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        xattrs.forEach((name, value) -> {
            byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
            ByteBuffer header = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
            header.putShort((short) nameBytes.length).putShort((short) 0).putInt(value.length);
            out.writeBytes(header.array());
            out.writeBytes(nameBytes);
            out.writeBytes(value);
        });
        return out.toByteArray();
    }

    // ------------------------------------------------------------------------------------------------ calls

    private Node find(String path) {
        Node node = root;
        for (String name : path.split("/", -1)) {
            if (!name.isEmpty()) {
                node = node.entries.get(name);
                if (node == null) {
                    throw new AssertionError("the case names " + path + ", which is not there");
                }
            }
        }
        return node;
    }

    private Node parent(String path) {
        return find(path.substring(0, path.lastIndexOf('/')));
    }

    private static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    private void add(String path, Node node) {
        byte[] list =
                node.type == 'l' || node.names > 1 ? null : parent(path).xattrs.get(Lists.DEFAULT);
        if (list != null) {
            byte[] own = Lists.inherited(list, node.permissions);
            node.permissions = Lists.mode(own);
            node.xattrs.put(Lists.ACCESS, own);
            if (node.type == 'd') {
                node.xattrs.put(Lists.DEFAULT, list);
            }
        }
        if (parent(path).entries.put(name(path), node) != null) {
            throw new AssertionError("the case makes " + path + " twice");
        }
        changed();
    }

    @Override
    public void create(String path) {
        add(path, new Node('f', 0x1A4));
    }

    @Override
    public void mkdir(String path) {
        add(path, new Node('d', 0x1ED));
    }

    @Override
    public void symlink(String path, String target) {
        Node node = new Node('l', 0x1FF);
        node.target = target;
        node.size = target.length();
        add(path, node);
    }

    @Override
    public void mknod(String path) {
        add(path, new Node('p', 0x1A4));
    }

    @Override
    public void link(String path, String newPath) {
        Node node = find(path);
        node.names++;
        add(newPath, node);
    }

    @Override
    public void linkRefused(String directory, String newPath) {
        find(directory);
    }

    @Override
    public void unlink(String path) {
        remove(path);
    }

    @Override
    public void rmdir(String path) {
        remove(path);
    }

    private void remove(String path) {
        parent(path).entries.remove(name(path)).names--;
        changed();
    }

    @Override
    public void rename(String from, String to) {
        Node node = parent(from).entries.remove(name(from));
        Node replaced = parent(to).entries.put(name(to), node);
        if (replaced != null) {
            replaced.names--;
        }
        changed();
    }

    @Override
    public void exchange(String one, String other) {
        Node node = find(one);
        Node otherNode = find(other);
        parent(one).entries.put(name(one), otherNode);
        parent(other).entries.put(name(other), node);
        changed();
    }

    @Override
    public void chmod(String path, int permissions) {
        find(path).permissions = permissions;
        changed();
    }

    @Override
    public void setXattr(String path, String name, int valueBytes) {
        Map<String, byte[]> xattrs = find(path).xattrs;
        xattrs.remove(name);
        xattrs.put(name, Blocks.bytes(valueBytes));
        changed();
    }

    @Override
    public void removeXattr(String path, String name) {
        find(path).xattrs.remove(name);
        changed();
    }

    @Override
    public void setList(String path, String name, byte[] list) {
        Node node = find(path);
        node.xattrs.remove(name);
        node.xattrs.put(name, list);
        if (name.equals(Lists.ACCESS)) {
            node.permissions = Lists.mode(list);
        }
        changed();
    }

    @Override
    public void createUnnamed(String directory) {
        find(directory);
        unnamed = new Node('f', 0x1A4);
        unnamed.names = 0;
        changed();
    }

    @Override
    public void writeUnnamed(long firstBlock, int blockCount, int seed) {
        write(unnamed, firstBlock, blockCount, seed);
    }

    @Override
    public void nameIt(String path) {
        unnamed.names++;
        parent(path).entries.put(name(path), unnamed);
        changed();
    }

    @Override
    public void write(String path, long firstBlock, int blockCount, int seed) {
        write(find(path), firstBlock, blockCount, seed);
    }

    @Override
    public void copy(String from, String path, long firstBlock, int blockCount) {
        Node source = find(from);
        Node node = find(path);
        usesBlocks = true;
        for (long block = firstBlock; block < firstBlock + blockCount; block++) {
            node.blocks.put(block, source.blocks.get(block));
        }
        node.size = Math.max(node.size, (firstBlock + blockCount) * Blocks.BYTES);
        changed();
    }

    @Override
    public void overwrite(String path, long block, int seed) {
        find(path).blocks.put(block, Blocks.of(seed, block));
        changed();
    }

    @Override
    public void extend(String path, long sizeBytes) {
        Node node = find(path);
        node.size = Math.max(node.size, sizeBytes);
        changed();
    }

    private void write(Node node, long firstBlock, int blockCount, int seed) {
        usesBlocks = true;
        for (long block = firstBlock; block < firstBlock + blockCount; block++) {
            node.blocks.put(block, Blocks.of(seed, block));
        }
        node.size = Math.max(node.size, (firstBlock + blockCount) * Blocks.BYTES);
        changed();
    }

    @Override
    public void append(String path, int blockCount, int seed) {
        write(path, find(path).size / Blocks.BYTES, blockCount, seed);
    }

    @Override
    public void truncate(String path, long sizeBytes) {
        Node node = find(path);
        long end = (sizeBytes + Blocks.BYTES - 1) / Blocks.BYTES;
        node.blocks.keySet().removeIf(block -> block >= end);
        node.size = sizeBytes;
        changed();
    }

    @Override
    public void punch(String path, long firstBlock, long blockCount) {
        find(path).blocks.keySet().removeIf(block -> block >= firstBlock && block < firstBlock + blockCount);
        changed();
    }

    @Override
    public void zero(String path, long firstBlock, int blockCount) {
        Node node = find(path);
        node.blocks.replaceAll(
                (block, content) -> block >= firstBlock && block < firstBlock + blockCount ? UNWRITTEN : content);
        changed();
    }

    @Override
    public void allocate(String path, long firstBlock, int blockCount) {
        Node node = find(path);
        usesBlocks = true;
        for (long block = firstBlock; block < firstBlock + blockCount; block++) {
            node.blocks.put(block, UNWRITTEN);
        }
        changed();
    }

    @Override
    public void open(String path) {
        find(path);
    }

    @Override
    public void close(String path) {
        // Nobody can see it.
    }

    @Override
    public void reserve(String path, long firstBlock, int blockCount) {
        usesBlocks = true;
    }

    @Override
    public void giveBack(String path) {
        // Nobody can see it.
    }

    @Override
    public void read(String path) {
        find(path);
    }

    @Override
    public void lock(String path) {
        find(path);
    }

    @Override
    public void reclaim() {
        // Nobody can see it.
    }

    @Override
    public void restart() {
        // Nobody can see it.
    }

    @Override
    public void goodbye() {
        // Nobody can see it.
    }
}
