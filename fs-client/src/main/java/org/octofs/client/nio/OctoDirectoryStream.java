package org.octofs.client.nio;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenDirectory;

/** A listing, fetched in pieces. Its iterator is for one thread. */
final class OctoDirectoryStream implements DirectoryStream<Path> {
    private static final int PIECE_ENTRIES = 512;

    private final OctoPath path;
    private final OpenDirectory directory;
    private final Filter<? super Path> filter;
    private volatile boolean closed;
    private boolean iterated;

    OctoDirectoryStream(OctoPath path, OpenDirectory directory, Filter<? super Path> filter) {
        this.path = path;
        this.directory = directory;
        this.filter = filter;
    }

    @Override
    public Iterator<Path> iterator() {
        if (closed || iterated) {
            throw new IllegalStateException("a directory stream has one iterator, while it is open");
        }
        iterated = true;
        return new Entries();
    }

    @Override
    public void close() {
        closed = true;
        path.getFileSystem().client().releaseDirectory(directory);
    }

    private final class Entries implements Iterator<Path> {
        private final Deque<Path> ready = new ArrayDeque<>();
        private long cookie;
        private boolean ended;

        @Override
        public boolean hasNext() {
            try {
                while (ready.isEmpty() && !ended && !closed) {
                    fetch();
                }
            } catch (IOException e) {
                throw new DirectoryIteratorException(e);
            }
            return !ready.isEmpty();
        }

        private void fetch() throws IOException {
            Deque<Path> piece = new ArrayDeque<>();
            try {
                ended = true;
                path.getFileSystem()
                        .client()
                        .readDirectory(directory, cookie, (ino, type, names, offset, length, next) -> {
                            if (piece.size() == PIECE_ENTRIES) {
                                ended = false;
                                return false;
                            }
                            byte[] name = names.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
                            piece.add(path.resolve(OctoPath.parse(path.getFileSystem(), NameCodec.decode(name))));
                            cookie = next;
                            return true;
                        });
            } catch (FsException e) {
                throw Failures.of(e, path, null);
            }
            for (Path entry : piece) {
                if (filter.accept(entry)) {
                    ready.add(entry);
                }
            }
        }

        @Override
        public Path next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return ready.poll();
        }
    }
}
