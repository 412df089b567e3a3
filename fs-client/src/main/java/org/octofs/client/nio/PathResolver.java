package org.octofs.client.nio;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeNumber;

/** Walks paths from the root, following symbolic links. Thread-safe. */
final class PathResolver {
    private static final int LINKS_MAX = 40;

    private final FsClient client;

    PathResolver(FsClient client) {
        this.client = client;
    }

    /**
     * Where a path has led.
     *
     * @param attributes of the object
     * @param realNames names from the root, without links
     */
    record Resolved(Attributes attributes, List<String> realNames) {
        long ino() {
            return attributes.ino();
        }
    }

    /** The directory that holds a path's last name, and that name. */
    static final class Parent {
        final long ino;
        final byte[] name;

        Parent(long ino, byte[] name) {
            this.ino = ino;
            this.name = name;
        }
    }

    Resolved resolve(OctoPath path, boolean followLast) throws IOException {
        try {
            return walk(path.toAbsolutePath().namesFromRoot(), followLast);
        } catch (FsException e) {
            throw Failures.of(e, path, null);
        }
    }

    /** The directory of a path whose last name may be absent. */
    Parent parent(OctoPath path) throws IOException {
        List<String> names = path.toAbsolutePath().normalize().namesFromRoot();
        if (names.isEmpty()) {
            throw Failures.of(new FsException(Errno.EBUSY, "the root cannot be made or removed"), path, null);
        }
        try {
            Resolved directory = walk(names.subList(0, names.size() - 1), true);
            if (!directory.attributes.isDirectory()) {
                throw new FsException(Errno.ENOTDIR);
            }
            return new Parent(directory.ino(), NameCodec.encode(names.getLast()));
        } catch (FsException e) {
            throw Failures.of(e, path, null);
        }
    }

    private Resolved walk(List<String> names, boolean followLast) throws FsException {
        Deque<String> todo = new ArrayDeque<>(names);
        List<String> real = new ArrayList<>();
        List<Long> inos = new ArrayList<>();
        Attributes here = new Attributes();
        client.getAttributes(InodeNumber.ROOT, here);
        int links = 0;
        while (!todo.isEmpty()) {
            String name = todo.poll();
            if (name.isEmpty() || name.equals(".")) {
                continue;
            }
            if (name.equals("..")) {
                if (!real.isEmpty()) {
                    real.removeLast();
                    inos.removeLast();
                }
                client.getAttributes(inos.isEmpty() ? InodeNumber.ROOT : inos.getLast(), here);
                continue;
            }
            if (!here.isDirectory()) {
                throw new FsException(Errno.ENOTDIR);
            }
            client.lookup(here.ino(), NameCodec.encode(name), here);
            if (here.isSymlink() && (followLast || !todo.isEmpty())) {
                if (++links > LINKS_MAX) {
                    throw new FsException(Errno.ELOOP);
                }
                String target = NameCodec.decode(client.readlink(here.ino()));
                if (target.startsWith("/")) {
                    real.clear();
                    inos.clear();
                }
                String[] parts = target.split("/", -1);
                for (int i = parts.length - 1; i >= 0; i--) {
                    todo.push(parts[i]);
                }
                client.getAttributes(inos.isEmpty() ? InodeNumber.ROOT : inos.getLast(), here);
                continue;
            }
            real.add(name);
            inos.add(here.ino());
        }
        return new Resolved(here, real);
    }
}
