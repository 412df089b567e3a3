package org.octofs.client.nio;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;

/** URIs of the form {@code octofs:///path/to/cluster.properties!/dir/file}. */
final class OctoUri {
    static final String SCHEME = "octofs";

    private static final char BORDER = '!';

    private OctoUri() {}

    static URI of(Path clusterFile, String path) {
        try {
            return new URI(SCHEME, null, clusterFile.toString() + BORDER + path, null);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(path + " cannot be written as a URI", e);
        }
    }

    /** The cluster file that a URI names, normalised. */
    static Path clusterFile(URI uri) {
        String path = check(uri);
        int border = path.indexOf(BORDER + "/");
        return Path.of(border < 0 ? path : path.substring(0, border))
                .toAbsolutePath()
                .normalize();
    }

    /** The path in the file system that a URI names; the root if it names none. */
    static String path(URI uri) {
        String path = check(uri);
        int border = path.indexOf(BORDER + "/");
        return border < 0 ? "/" : path.substring(border + 1);
    }

    private static String check(URI uri) {
        if (!SCHEME.equalsIgnoreCase(uri.getScheme()) || uri.getPath() == null) {
            throw new IllegalArgumentException(
                    uri + " is not of the form octofs:///path/to/cluster.properties!/dir/file");
        }
        return uri.getPath();
    }
}
