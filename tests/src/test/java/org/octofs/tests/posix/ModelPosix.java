package org.octofs.tests.posix;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.octofs.rpc.protocol.Errno;

/**
 * What a file system is, in the simplest form: names, bytes and permission bits in memory. No space, no holes (all of a file
 * is data), no users, and times only where they are set.
 *
 * <p>Threading: one thread at a time.
 */
public final class ModelPosix implements Posix {
    private static final int NAME_BYTES_MAX = 255;
    private static final int ACCESS = 3;
    private static final int CREAT = 0100;
    private static final int EXCL = 0200;
    private static final int TRUNC = 01000;
    private static final int APPEND = 02000;
    private static final int DIRECTORY = 0200000;
    private static final int NOFOLLOW = 0400000;

    private static final class Node {
        private final int type;
        private int mode;
        private long names;
        private int uid;
        private int gid;
        private byte[] bytes = new byte[0];
        private final Map<String, Node> entries = new TreeMap<>();
        private Node parent;
        private FileStatus.Time accessed = new FileStatus.Time(0, 0);
        private FileStatus.Time modified = new FileStatus.Time(0, 0);
        private final Map<String, byte[]> attributes = new TreeMap<>();

        Node(int type, int mode) {
            this.type = type;
            this.mode = mode;
        }

        boolean isDirectory() {
            return type == FileStatus.DIRECTORY;
        }
    }

    private record Open(Node node, int flags) {}

    private record Place(Node parent, String name, Node node) {}

    private final Node root = new Node(FileStatus.DIRECTORY, 0755);
    private final Map<Integer, Open> open = new HashMap<>();
    private int lastDescriptor;

    private static PosixException failure(Errno errno) {
        return new PosixException(errno);
    }

    private Place place(byte[] path) throws PosixException {
        String[] names = new String(path, ISO_8859_1).split("/", -1);
        Node parent = root;
        for (int i = 0; i < names.length - 1; i++) {
            Node next = child(parent, names[i]);
            if (next == null) {
                throw failure(Errno.ENOENT);
            }
            if (!next.isDirectory()) {
                throw failure(Errno.ENOTDIR);
            }
            parent = next;
        }
        String name = names[names.length - 1];
        return new Place(parent, name, name.equals(".") ? parent : child(parent, name));
    }

    private static Node child(Node directory, String name) throws PosixException {
        if (name.length() > NAME_BYTES_MAX) {
            throw failure(Errno.ENAMETOOLONG);
        }
        return directory.entries.get(name);
    }

    private Node find(byte[] path) throws PosixException {
        Node node = place(path).node();
        if (node == null) {
            throw failure(Errno.ENOENT);
        }
        return node;
    }

    private Node make(byte[] path, int type, int mode) throws PosixException {
        Place place = place(path);
        if (place.node() != null) {
            throw failure(Errno.EEXIST);
        }
        Node node = new Node(type, mode);
        enter(place, node);
        return node;
    }

    private static void enter(Place place, Node node) {
        place.parent().entries.put(place.name(), node);
        node.names++;
        if (node.isDirectory()) {
            node.parent = place.parent();
        }
    }

    private static void leave(Place place) {
        place.parent().entries.remove(place.name());
        place.node().names--;
    }

    private Open readable(int descriptor) throws PosixException {
        Open found = handle(descriptor, false);
        if ((found.flags() & ACCESS) == 1) {
            throw failure(Errno.EBADF);
        }
        return found;
    }

    private Open handle(int descriptor, boolean writes) throws PosixException {
        Open found = open.get(descriptor);
        if (found == null || (writes && (found.flags() & ACCESS) == 0)) {
            throw failure(Errno.EBADF);
        }
        return found;
    }

    @Override
    public int open(byte[] path, int flags, int mode) throws PosixException {
        Place place = place(path);
        Node node = place.node();
        if (node == null) {
            if ((flags & CREAT) == 0) {
                throw failure(Errno.ENOENT);
            }
            node = make(path, FileStatus.REGULAR, mode);
        } else if ((flags & (CREAT | EXCL)) == (CREAT | EXCL)) {
            throw failure(Errno.EEXIST);
        }
        if (node.isDirectory() && ((flags & ACCESS) != 0 || (flags & CREAT) != 0)) {
            throw failure(Errno.EISDIR);
        }
        if (node.type == FileStatus.SYMLINK && (flags & NOFOLLOW) != 0) {
            throw failure((flags & DIRECTORY) != 0 ? Errno.ENOTDIR : Errno.ELOOP);
        }
        if ((flags & TRUNC) != 0 && node.type == FileStatus.REGULAR) {
            node.bytes = new byte[0];
        }
        open.put(++lastDescriptor, new Open(node, flags));
        return lastDescriptor;
    }

    @Override
    public void close(int descriptor) throws PosixException {
        handle(descriptor, false);
        open.remove(descriptor);
    }

    @Override
    public byte[] read(int descriptor, long offset, int length) throws PosixException {
        byte[] bytes = readable(descriptor).node().bytes;
        int from = (int) Math.min(offset, bytes.length);
        return Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + length));
    }

    @Override
    public int write(int descriptor, long offset, byte[] data) throws PosixException {
        Open file = handle(descriptor, true);
        Node node = file.node();
        int at = (file.flags() & APPEND) != 0 ? node.bytes.length : (int) offset;
        if (data.length > 0) {
            grow(node, at + data.length);
            System.arraycopy(data, 0, node.bytes, at, data.length);
        }
        return data.length;
    }

    private static void grow(Node node, int size) {
        if (size > node.bytes.length) {
            node.bytes = Arrays.copyOf(node.bytes, size);
        }
    }

    @Override
    public void sync(int descriptor) throws PosixException {
        handle(descriptor, false);
    }

    @Override
    public void truncate(int descriptor, long size) throws PosixException {
        Open file = open.get(descriptor);
        if (file != null && (file.flags() & ACCESS) == 0) {
            throw failure(Errno.EINVAL);
        }
        Node node = handle(descriptor, true).node();
        node.bytes = Arrays.copyOf(node.bytes, (int) size);
    }

    @Override
    public void truncate(byte[] path, long size) throws PosixException {
        Node node = find(path);
        if (node.isDirectory()) {
            throw failure(Errno.EISDIR);
        }
        if (node.type != FileStatus.REGULAR) {
            throw failure(Errno.EINVAL);
        }
        node.bytes = Arrays.copyOf(node.bytes, (int) size);
    }

    @Override
    public void allocate(int descriptor, int mode, long offset, long length) throws PosixException {
        Node node = handle(descriptor, true).node();
        int end = (int) (offset + length);
        if ((mode & 1) == 0) {
            grow(node, end);
        }
        if ((mode & ~1) != 0 && offset < node.bytes.length) {
            Arrays.fill(node.bytes, (int) offset, Math.min(end, node.bytes.length), (byte) 0);
        }
    }

    @Override
    public long seek(int descriptor, long offset, int whence) throws PosixException {
        long size = handle(descriptor, false).node().bytes.length;
        if (offset >= size) {
            throw failure(Errno.ENXIO);
        }
        return whence == 3 ? offset : size;
    }

    @Override
    public long copy(int source, long offset, int target, long targetOffset, long length) throws PosixException {
        Node from = readable(source).node();
        Open to = handle(target, true);
        if ((to.flags() & APPEND) != 0) {
            throw failure(Errno.EBADF);
        }
        long done = 0;
        // A copy within a file may make more of what there is to copy.
        while (done < length && offset + done < from.bytes.length) {
            byte[] data = read(source, offset + done, (int) (length - done));
            // What there is to copy counts for the overlap.
            if (from == to.node() && offset < targetOffset + data.length && targetOffset < offset + data.length) {
                throw failure(Errno.EINVAL);
            }
            done += write(target, targetOffset + done, data);
        }
        return done;
    }

    @Override
    public void makeDirectory(byte[] path, int mode) throws PosixException {
        make(path, FileStatus.DIRECTORY, mode);
    }

    @Override
    public void makeFifo(byte[] path, int mode) throws PosixException {
        make(path, FileStatus.FIFO, mode);
    }

    @Override
    public void makeSymlink(byte[] target, byte[] path) throws PosixException {
        make(path, FileStatus.SYMLINK, 0777).bytes = target.clone();
    }

    @Override
    public void link(byte[] path, byte[] newPath) throws PosixException {
        Node node = find(path);
        Place to = place(newPath);
        if (to.node() != null) {
            throw failure(Errno.EEXIST);
        }
        if (node.isDirectory()) {
            throw failure(Errno.EPERM);
        }
        enter(to, node);
    }

    @Override
    public void link(int descriptor, byte[] newPath) throws PosixException {
        Node node = handle(descriptor, false).node();
        Place to = place(newPath);
        if (to.node() != null) {
            throw failure(Errno.EEXIST);
        }
        if (node.names == 0) {
            throw failure(Errno.ENOENT);
        }
        enter(to, node);
    }

    @Override
    public void unlink(byte[] path) throws PosixException {
        Place place = place(path);
        if (place.node() == null) {
            throw failure(Errno.ENOENT);
        }
        if (place.node().isDirectory()) {
            throw failure(Errno.EISDIR);
        }
        leave(place);
    }

    @Override
    public void removeDirectory(byte[] path) throws PosixException {
        Place place = place(path);
        if (place.node() == null) {
            throw failure(Errno.ENOENT);
        }
        if (!place.node().isDirectory()) {
            throw failure(Errno.ENOTDIR);
        }
        if (!place.node().entries.isEmpty()) {
            throw failure(Errno.ENOTEMPTY);
        }
        leave(place);
    }

    @Override
    public void rename(byte[] path, byte[] newPath, int flags) throws PosixException {
        boolean noReplace = (flags & 1) != 0;
        boolean exchange = (flags & 2) != 0;
        if (noReplace && exchange) {
            throw failure(Errno.EINVAL);
        }
        Place from = place(path);
        Place to = place(newPath);
        if (from.node() == null) {
            throw failure(Errno.ENOENT);
        }
        if (noReplace && to.node() != null) {
            throw failure(Errno.EEXIST);
        }
        if (exchange && to.node() == null) {
            throw failure(Errno.ENOENT);
        }
        if (isWithin(to.parent(), from.node())) {
            throw failure(Errno.EINVAL);
        }
        if (to.node() != null && isWithin(from.parent(), to.node())) {
            throw failure(exchange ? Errno.EINVAL : Errno.ENOTEMPTY);
        }
        if (from.node() == to.node()) {
            return;
        }
        if (exchange) {
            to.parent().entries.put(to.name(), from.node());
            from.parent().entries.put(from.name(), to.node());
            from.node().parent = to.parent();
            to.node().parent = from.parent();
            return;
        }
        if (to.node() != null) {
            checkReplaced(from.node(), to.node());
            leave(to);
        }
        from.parent().entries.remove(from.name());
        from.node().names--;
        enter(to, from.node());
    }

    private static void checkReplaced(Node node, Node replaced) throws PosixException {
        if (node.isDirectory() && !replaced.isDirectory()) {
            throw failure(Errno.ENOTDIR);
        }
        if (!node.isDirectory() && replaced.isDirectory()) {
            throw failure(Errno.EISDIR);
        }
        if (!replaced.entries.isEmpty()) {
            throw failure(Errno.ENOTEMPTY);
        }
    }

    private static boolean isWithin(Node directory, Node ancestor) {
        for (Node at = directory; at != null; at = at.parent) {
            if (at == ancestor) {
                return true;
            }
        }
        return false;
    }

    @Override
    public byte[] readSymlink(byte[] path) throws PosixException {
        Node node = find(path);
        if (node.type != FileStatus.SYMLINK) {
            throw failure(Errno.EINVAL);
        }
        return node.bytes.clone();
    }

    @Override
    public List<byte[]> list(byte[] path) throws PosixException {
        Node node = find(path);
        if (!node.isDirectory()) {
            throw failure(Errno.ENOTDIR);
        }
        List<byte[]> names = new ArrayList<>();
        node.entries.keySet().forEach(name -> names.add(name.getBytes(ISO_8859_1)));
        return names;
    }

    private static FileStatus status(Node node) {
        long names = node.names;
        if (node.isDirectory()) {
            long inside =
                    node.entries.values().stream().filter(Node::isDirectory).count();
            names = node.names == 0 && node.parent != null ? 0 : 2 + inside;
        }
        return new FileStatus(
                0,
                node.type | node.mode,
                names,
                node.uid,
                node.gid,
                node.bytes.length,
                0,
                node.accessed,
                node.modified,
                node.modified);
    }

    @Override
    public FileStatus status(byte[] path) throws PosixException {
        return status(find(path));
    }

    @Override
    public FileStatus status(int descriptor) throws PosixException {
        return status(handle(descriptor, false).node());
    }

    @Override
    public void changeMode(byte[] path, int mode) throws PosixException {
        find(path).mode = mode;
    }

    @Override
    public void changeMode(int descriptor, int mode) throws PosixException {
        handle(descriptor, false).node().mode = mode;
    }

    @Override
    public void changeOwner(byte[] path, int uid, int gid) throws PosixException {
        Node node = find(path);
        node.uid = uid < 0 ? node.uid : uid;
        node.gid = gid < 0 ? node.gid : gid;
        if (!node.isDirectory()) {
            node.mode &= (node.mode & 010) != 0 ? ~06000 : ~04000;
        }
    }

    @Override
    public void changeTimes(byte[] path, FileStatus.Time accessed, FileStatus.Time modified) throws PosixException {
        Node node = find(path);
        node.accessed = accessed.equals(FileStatus.Time.OMIT) ? node.accessed : accessed;
        node.modified = modified.equals(FileStatus.Time.OMIT) ? node.modified : modified;
    }

    @Override
    public void setAttribute(byte[] path, String name, byte[] value, int flags) throws PosixException {
        Node node = find(path);
        boolean there = node.attributes.containsKey(name);
        if (flags == 1 && there) {
            throw failure(Errno.EEXIST);
        }
        if (flags == 2 && !there) {
            throw failure(Errno.ENODATA);
        }
        node.attributes.put(name, value);
    }

    @Override
    public byte[] attribute(byte[] path, String name) throws PosixException {
        byte[] value = find(path).attributes.get(name);
        if (value == null) {
            throw failure(Errno.ENODATA);
        }
        return value;
    }

    @Override
    public List<String> attributes(byte[] path) throws PosixException {
        return List.copyOf(find(path).attributes.keySet());
    }

    @Override
    public void removeAttribute(byte[] path, String name) throws PosixException {
        if (find(path).attributes.remove(name) == null) {
            throw failure(Errno.ENODATA);
        }
    }

    @Override
    public void close() {
        open.clear();
    }
}
