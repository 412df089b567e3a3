package org.octofs.client.nio;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.spi.FileSystemProvider;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.rpc.cluster.ClusterFile;
import org.octofs.rpc.protocol.Errno;

/**
 * Makes {@code octofs:} URIs work with {@code java.nio.file}. A file system is opened with
 * {@code FileSystems.newFileSystem(URI, env)}; env may hold {@code "config"} (a {@link ClientConfig}), {@code "uid"} and
 * {@code "gid"} (Integers: who owns new files; 0 if absent). Permissions are not checked.
 *
 * <p>Threading: thread-safe.
 */
public final class OctoFileSystemProvider extends FileSystemProvider {
    private static final int FILE_MODE = 0666 & ~022;
    private static final int DIRECTORY_MODE = 0777 & ~022;
    private static final int RENAME_NOREPLACE = 1;

    private final Map<Path, OctoFileSystem> open = new HashMap<>();
    private final Map<OctoFileSystem, Owner> owners = new HashMap<>();

    private record Owner(int uid, int gid) {}

    /** For the service loader. */
    public OctoFileSystemProvider() {}

    @Override
    public String getScheme() {
        return OctoUri.SCHEME;
    }

    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> env) throws IOException {
        Path clusterFile = OctoUri.clusterFile(uri);
        ClientConfig config = env.get("config") instanceof ClientConfig given ? given : ClientConfig.defaults();
        synchronized (open) {
            if (open.containsKey(clusterFile)) {
                throw new FileSystemAlreadyExistsException(clusterFile + " is open already");
            }
            FsClient client = FsClient.connect(ClusterFile.read(clusterFile), config);
            OctoFileSystem fileSystem = new OctoFileSystem(this, clusterFile, client);
            open.put(clusterFile, fileSystem);
            owners.put(fileSystem, new Owner(number(env, "uid"), number(env, "gid")));
            return fileSystem;
        }
    }

    private static int number(Map<String, ?> env, String key) {
        return env.get(key) instanceof Integer value ? value : 0;
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
        synchronized (open) {
            OctoFileSystem fileSystem = open.get(OctoUri.clusterFile(uri));
            if (fileSystem == null) {
                throw new FileSystemNotFoundException(uri + ": open it with FileSystems.newFileSystem first");
            }
            return fileSystem;
        }
    }

    void closed(OctoFileSystem fileSystem) {
        synchronized (open) {
            open.remove(fileSystem.clusterFile(), fileSystem);
            owners.remove(fileSystem);
        }
    }

    private Owner owner(OctoPath path) {
        synchronized (open) {
            return owners.getOrDefault(path.getFileSystem(), new Owner(0, 0));
        }
    }

    @Override
    public Path getPath(URI uri) {
        return getFileSystem(uri).getPath(OctoUri.path(uri));
    }

    private static FsClient client(OctoPath path) {
        return path.getFileSystem().client();
    }

    private static boolean follows(LinkOption... options) {
        return !Arrays.asList(options).contains(LinkOption.NOFOLLOW_LINKS);
    }

    private static int mode(int otherwise, FileAttribute<?>... attributes) {
        int mode = otherwise;
        for (FileAttribute<?> attribute : attributes) {
            if (!attribute.name().equals("posix:permissions")) {
                throw new UnsupportedOperationException("a new file cannot be given " + attribute.name());
            }
            Set<PosixFilePermission> permissions = new HashSet<>();
            for (Object permission : (Set<?>) attribute.value()) {
                permissions.add((PosixFilePermission) permission);
            }
            mode = OctoAttributes.modeOf(permissions);
        }
        return mode;
    }

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        OctoPath file = OctoPath.of(path);
        boolean append = options.contains(StandardOpenOption.APPEND);
        boolean write = append || options.contains(StandardOpenOption.WRITE);
        boolean read = options.contains(StandardOpenOption.READ) || !write;
        if (append
                && (options.contains(StandardOpenOption.READ)
                        || options.contains(StandardOpenOption.TRUNCATE_EXISTING))) {
            throw new IllegalArgumentException("APPEND excludes READ and TRUNCATE_EXISTING");
        }
        int flags = write ? (read ? OpenFlags.RDWR : OpenFlags.WRONLY) : OpenFlags.RDONLY;
        flags |= append ? OpenFlags.APPEND : 0;
        flags |= options.contains(StandardOpenOption.SYNC) || options.contains(StandardOpenOption.DSYNC)
                ? OpenFlags.DSYNC
                : 0;
        flags |= write && options.contains(StandardOpenOption.TRUNCATE_EXISTING) ? OpenFlags.TRUNC : 0;
        boolean createNew = write && options.contains(StandardOpenOption.CREATE_NEW);
        boolean create = createNew || (write && options.contains(StandardOpenOption.CREATE));
        OpenFile opened = create
                ? openOrCreate(file, flags | (createNew ? OpenFlags.EXCL : 0), mode(FILE_MODE, attributes))
                : open(file, flags, !options.contains(LinkOption.NOFOLLOW_LINKS));
        return new OctoChannel(client(file), opened, file, options.contains(StandardOpenOption.DELETE_ON_CLOSE));
    }

    private static OpenFile open(OctoPath file, int flags, boolean follow) throws IOException {
        PathResolver.Resolved found = file.getFileSystem().resolver().resolve(file, follow);
        try {
            if (!found.attributes().isRegular()) {
                throw new FsException(
                        found.attributes().isDirectory() ? Errno.EISDIR : Errno.EOPNOTSUPP, "not a regular file");
            }
            return client(file).open(found.ino(), flags);
        } catch (FsException e) {
            throw Failures.of(e, file, null);
        }
    }

    private OpenFile openOrCreate(OctoPath file, int flags, int mode) throws IOException {
        if ((flags & OpenFlags.EXCL) == 0) {
            try {
                return open(file, flags, true);
            } catch (NoSuchFileException e) {
                // The usual case; also a dangling link, which create answers with ELOOP.
                flags |= OpenFlags.CREAT;
            }
        }
        PathResolver.Parent parent = file.getFileSystem().resolver().parent(file);
        Owner owner = owner(file);
        try {
            return client(file).create(parent.ino, parent.name, mode, owner.uid, owner.gid, flags, new Attributes());
        } catch (FsException e) {
            throw Failures.of(e, file, null);
        }
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(Path path, DirectoryStream.Filter<? super Path> filter)
            throws IOException {
        OctoPath directory = OctoPath.of(path);
        long ino = directory.getFileSystem().resolver().resolve(directory, true).ino();
        try {
            return new OctoDirectoryStream(directory, client(directory).openDirectory(ino), filter);
        } catch (FsException e) {
            throw Failures.of(e, path, null);
        }
    }

    @Override
    public void createDirectory(Path path, FileAttribute<?>... attributes) throws IOException {
        OctoPath directory = OctoPath.of(path);
        if (directory.toAbsolutePath().normalize().getNameCount() == 0) {
            throw new FileAlreadyExistsException(path.toString());
        }
        PathResolver.Parent parent = directory.getFileSystem().resolver().parent(directory);
        Owner owner = owner(directory);
        int mode = mode(DIRECTORY_MODE, attributes);
        try {
            client(directory).mkdir(parent.ino, parent.name, mode, owner.uid, owner.gid, new Attributes());
        } catch (FsException e) {
            throw Failures.of(e, path, null);
        }
    }

    @Override
    public void createSymbolicLink(Path link, Path target, FileAttribute<?>... attributes) throws IOException {
        OctoPath path = OctoPath.of(link);
        PathResolver.Parent parent = path.getFileSystem().resolver().parent(path);
        Owner owner = owner(path);
        byte[] text = NameCodec.encode(target.toString());
        try {
            client(path).symlink(parent.ino, parent.name, text, owner.uid, owner.gid, new Attributes());
        } catch (FsException e) {
            throw Failures.of(e, link, null);
        }
    }

    @Override
    public void createLink(Path link, Path existing) throws IOException {
        OctoPath path = OctoPath.of(link);
        PathResolver.Parent parent = path.getFileSystem().resolver().parent(path);
        long ino = path.getFileSystem()
                .resolver()
                .resolve(OctoPath.of(existing), false)
                .ino();
        try {
            client(path).link(ino, parent.ino, parent.name, new Attributes());
        } catch (FsException e) {
            throw Failures.of(e, link, null);
        }
    }

    @Override
    public Path readSymbolicLink(Path link) throws IOException {
        OctoPath path = OctoPath.of(link);
        long ino = path.getFileSystem().resolver().resolve(path, false).ino();
        try {
            return OctoPath.parse(
                    path.getFileSystem(), NameCodec.decode(client(path).readlink(ino)));
        } catch (FsException e) {
            throw Failures.ofReadlink(e, link);
        }
    }

    @Override
    public void delete(Path path) throws IOException {
        OctoPath file = OctoPath.of(path);
        boolean directory = file.getFileSystem()
                .resolver()
                .resolve(file, false)
                .attributes()
                .isDirectory();
        PathResolver.Parent parent = file.getFileSystem().resolver().parent(file);
        try {
            if (directory) {
                client(file).rmdir(parent.ino, parent.name);
            } else {
                client(file).unlink(parent.ino, parent.name);
            }
        } catch (FsException e) {
            throw Failures.of(e, path, null);
        }
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) throws IOException {
        Copies.copy(OctoPath.of(source), OctoPath.of(target), List.of(options));
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
        OctoPath from = OctoPath.of(source);
        OctoPath to = OctoPath.of(target);
        if (!from.getFileSystem().equals(to.getFileSystem())) {
            Copies.copy(from, to, List.of(options));
            delete(source);
            return;
        }
        PathResolver.Parent parent = from.getFileSystem().resolver().parent(from);
        PathResolver.Parent newParent = to.getFileSystem().resolver().parent(to);
        boolean replace = Arrays.asList(options).contains(StandardCopyOption.REPLACE_EXISTING)
                || Arrays.asList(options).contains(StandardCopyOption.ATOMIC_MOVE);
        if (exists(to) && isSameFile(from, to)) {
            return;
        }
        try {
            client(from).rename(parent.ino, parent.name, newParent.ino, newParent.name, replace ? 0 : RENAME_NOREPLACE);
        } catch (FsException e) {
            throw Failures.of(e, source, target);
        }
    }

    private static boolean exists(OctoPath path) throws IOException {
        try {
            path.getFileSystem().resolver().resolve(path, false);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    @Override
    public boolean isSameFile(Path path, Path other) throws IOException {
        if (path.equals(other)) {
            return true;
        }
        if (!(other instanceof OctoPath that) || !path.getFileSystem().equals(other.getFileSystem())) {
            return false;
        }
        PathResolver resolver = that.getFileSystem().resolver();
        return resolver.resolve(OctoPath.of(path), true).ino()
                == resolver.resolve(that, true).ino();
    }

    @Override
    public boolean isHidden(Path path) {
        Path name = path.getFileName();
        return name != null && name.toString().startsWith(".");
    }

    @Override
    public FileStore getFileStore(Path path) {
        return new OctoFileStore(OctoPath.of(path).getFileSystem());
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        OctoPath file = OctoPath.of(path);
        file.getFileSystem().resolver().resolve(file, true);
    }

    @Override
    public <V extends FileAttributeView> V getFileAttributeView(Path path, Class<V> type, LinkOption... options) {
        String name = type == PosixFileAttributeView.class
                ? "posix"
                : type == BasicFileAttributeView.class
                        ? "basic"
                        : type == FileOwnerAttributeView.class ? "owner" : null;
        return name == null ? null : type.cast(new OctoAttributeView(name, OctoPath.of(path), follows(options)));
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
            throws IOException {
        if (type != BasicFileAttributes.class && type != PosixFileAttributes.class) {
            throw new UnsupportedOperationException("OctoFS has no " + type.getSimpleName());
        }
        return type.cast(new OctoAttributeView("posix", OctoPath.of(path), follows(options)).readAttributes());
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) throws IOException {
        int colon = attributes.indexOf(':');
        String view = colon < 0 ? "basic" : attributes.substring(0, colon);
        List<String> names = Arrays.asList(attributes.substring(colon + 1).split(",", -1));
        Map<String, Object> all = view(path, view, options).readAttributes().asMap(view);
        if (names.contains("*")) {
            return all;
        }
        if (!all.keySet().containsAll(names)) {
            throw new IllegalArgumentException("view " + view + " has " + all.keySet() + ", not all of " + names);
        }
        all.keySet().retainAll(names);
        return all;
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options) throws IOException {
        int colon = attribute.indexOf(':');
        String view = colon < 0 ? "basic" : attribute.substring(0, colon);
        view(path, view, options).set(attribute.substring(colon + 1), value);
    }

    private static OctoAttributeView view(Path path, String view, LinkOption... options) {
        OctoPath file = OctoPath.of(path);
        if (!file.getFileSystem().supportedFileAttributeViews().contains(view)) {
            throw new UnsupportedOperationException("OctoFS has no attribute view " + view);
        }
        return new OctoAttributeView(view, file, follows(options));
    }
}
