package org.octofs.client.nio;

import java.io.IOException;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.ProviderMismatchException;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** A path of OctoFS: names between slashes, as on Unix. The root is its own working directory. Immutable. */
final class OctoPath implements Path {
    private static final String SEPARATOR = "/";

    private final OctoFileSystem fileSystem;
    private final boolean absolute;
    private final List<String> names;

    private OctoPath(OctoFileSystem fileSystem, boolean absolute, List<String> names) {
        this.fileSystem = fileSystem;
        this.absolute = absolute;
        this.names = List.copyOf(names);
    }

    static OctoPath parse(OctoFileSystem fileSystem, String text) {
        if (text.indexOf('\0') >= 0) {
            throw new InvalidPathException(text, "NUL in a path");
        }
        List<String> names = new ArrayList<>();
        for (String name : text.split(SEPARATOR, -1)) {
            if (!name.isEmpty()) {
                names.add(name);
            }
        }
        // The empty path has one empty name.
        if (names.isEmpty() && !text.startsWith(SEPARATOR)) {
            names.add("");
        }
        return new OctoPath(fileSystem, text.startsWith(SEPARATOR), names);
    }

    private OctoPath with(boolean newAbsolute, List<String> newNames) {
        if (newNames.isEmpty() && !newAbsolute) {
            return new OctoPath(fileSystem, false, List.of(""));
        }
        return new OctoPath(fileSystem, newAbsolute, newNames);
    }

    /** The names from the root. */
    List<String> namesFromRoot() {
        return isEmpty() ? List.of() : names;
    }

    private boolean isEmpty() {
        return !absolute && names.size() == 1 && names.getFirst().isEmpty();
    }

    /** A path of ours. */
    static OctoPath of(Path path) {
        if (path instanceof OctoPath octoPath) {
            return octoPath;
        }
        Objects.requireNonNull(path, "path");
        throw new ProviderMismatchException(path + " is not a path of OctoFS");
    }

    @Override
    public OctoFileSystem getFileSystem() {
        return fileSystem;
    }

    @Override
    public boolean isAbsolute() {
        return absolute;
    }

    @Override
    public OctoPath getRoot() {
        return absolute ? with(true, List.of()) : null;
    }

    @Override
    public OctoPath getFileName() {
        return names.isEmpty() ? null : with(false, List.of(names.getLast()));
    }

    @Override
    public OctoPath getParent() {
        if (names.isEmpty() || (names.size() == 1 && !absolute)) {
            return null;
        }
        return with(absolute, names.subList(0, names.size() - 1));
    }

    @Override
    public int getNameCount() {
        return names.size();
    }

    @Override
    public OctoPath getName(int index) {
        if (index < 0 || index >= names.size()) {
            throw new IllegalArgumentException("no name " + index + " in " + this);
        }
        return with(false, List.of(names.get(index)));
    }

    @Override
    public OctoPath subpath(int beginIndex, int endIndex) {
        if (beginIndex < 0 || endIndex > names.size() || beginIndex >= endIndex) {
            throw new IllegalArgumentException("no names " + beginIndex + " to " + endIndex + " in " + this);
        }
        return with(false, names.subList(beginIndex, endIndex));
    }

    @Override
    public boolean startsWith(Path other) {
        return other instanceof OctoPath that
                && that.fileSystem.equals(fileSystem)
                && that.absolute == absolute
                && that.names.size() <= names.size()
                && names.subList(0, that.names.size()).equals(that.names);
    }

    @Override
    public boolean endsWith(Path other) {
        if (!(other instanceof OctoPath that) || !that.fileSystem.equals(fileSystem)) {
            return false;
        }
        if (that.absolute) {
            return equals(that);
        }
        int from = names.size() - that.names.size();
        return from >= 0 && names.subList(from, names.size()).equals(that.names);
    }

    @Override
    public OctoPath normalize() {
        List<String> kept = new ArrayList<>();
        for (String name : names) {
            if (name.equals("..") && !kept.isEmpty() && !kept.getLast().equals("..")) {
                kept.removeLast();
            } else if (!name.equals(".") && !(name.equals("..") && absolute)) {
                kept.add(name);
            }
        }
        return with(absolute, kept);
    }

    @Override
    public OctoPath resolve(Path other) {
        OctoPath that = of(other);
        if (that.absolute || isEmpty()) {
            return that;
        }
        if (that.isEmpty()) {
            return this;
        }
        List<String> all = new ArrayList<>(names);
        all.addAll(that.names);
        return with(absolute, all);
    }

    @Override
    public OctoPath relativize(Path other) {
        OctoPath that = of(other);
        if (that.absolute != absolute) {
            throw new IllegalArgumentException("one of " + this + " and " + other + " is absolute, the other is not");
        }
        List<String> from = namesFromRoot();
        List<String> to = that.namesFromRoot();
        int common = 0;
        while (common < from.size() && common < to.size() && from.get(common).equals(to.get(common))) {
            common++;
        }
        List<String> way = new ArrayList<>();
        for (int i = common; i < from.size(); i++) {
            way.add("..");
        }
        way.addAll(to.subList(common, to.size()));
        return with(false, way);
    }

    @Override
    public URI toUri() {
        return OctoUri.of(fileSystem.clusterFile(), toAbsolutePath().toString());
    }

    @Override
    public OctoPath toAbsolutePath() {
        return absolute ? this : with(true, namesFromRoot());
    }

    @Override
    public OctoPath toRealPath(LinkOption... options) throws IOException {
        boolean follow = !Arrays.asList(options).contains(LinkOption.NOFOLLOW_LINKS);
        return with(
                true, fileSystem.resolver().resolve(toAbsolutePath(), follow).realNames());
    }

    @Override
    public WatchKey register(WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
        throw new UnsupportedOperationException("OctoFS has no watch service");
    }

    @Override
    public int compareTo(Path other) {
        return toString().compareTo(of(other).toString());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof OctoPath that
                && that.absolute == absolute
                && that.fileSystem.equals(fileSystem)
                && that.names.equals(names);
    }

    @Override
    public int hashCode() {
        return names.hashCode() * 31 + Boolean.hashCode(absolute);
    }

    @Override
    public String toString() {
        return (absolute ? SEPARATOR : "") + String.join(SEPARATOR, names);
    }
}
