package org.octofs.client.nio;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.octofs.client.client.FsClient;

/** One cluster as a file system, with a client of its own. Thread-safe. */
final class OctoFileSystem extends FileSystem {
    private final OctoFileSystemProvider provider;
    private final Path clusterFile;
    private final FsClient client;
    private final PathResolver resolver;
    private final AtomicBoolean open = new AtomicBoolean(true);

    OctoFileSystem(OctoFileSystemProvider provider, Path clusterFile, FsClient client) {
        this.provider = provider;
        this.clusterFile = clusterFile;
        this.client = client;
        this.resolver = new PathResolver(client);
    }

    FsClient client() {
        return client;
    }

    PathResolver resolver() {
        return resolver;
    }

    Path clusterFile() {
        return clusterFile;
    }

    @Override
    public OctoFileSystemProvider provider() {
        return provider;
    }

    @Override
    public void close() throws IOException {
        if (open.compareAndSet(true, false)) {
            provider.closed(this);
            client.close();
        }
    }

    @Override
    public boolean isOpen() {
        return open.get();
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public String getSeparator() {
        return "/";
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        return List.of(OctoPath.parse(this, "/"));
    }

    @Override
    public Iterable<FileStore> getFileStores() {
        return List.of(new OctoFileStore(this));
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        return Set.of("basic", "owner", "posix", "unix");
    }

    @Override
    public OctoPath getPath(String first, String... more) {
        StringBuilder text = new StringBuilder(first);
        for (String part : more) {
            if (!part.isEmpty()) {
                if (!text.isEmpty() && text.charAt(text.length() - 1) != '/') {
                    text.append('/');
                }
                text.append(part);
            }
        }
        return OctoPath.parse(this, text.toString());
    }

    /** Globs and regular expressions match the text of paths, whose syntax is that of the default file system on Unix. */
    @Override
    public PathMatcher getPathMatcher(String syntaxAndPattern) {
        PathMatcher matcher = FileSystems.getDefault().getPathMatcher(syntaxAndPattern);
        return path -> matcher.matches(Path.of(path.toString()));
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        return new OctoPrincipals();
    }

    @Override
    public WatchService newWatchService() {
        throw new UnsupportedOperationException("OctoFS has no watch service");
    }
}
