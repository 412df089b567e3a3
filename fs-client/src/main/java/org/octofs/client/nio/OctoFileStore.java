package org.octofs.client.nio;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.FileStoreAttributeView;
import java.nio.file.attribute.PosixFileAttributeView;
import org.octofs.client.client.FsStatistics;

/** The space of a cluster. */
final class OctoFileStore extends FileStore {
    private final OctoFileSystem fileSystem;

    OctoFileStore(OctoFileSystem fileSystem) {
        this.fileSystem = fileSystem;
    }

    private FsStatistics statistics() throws IOException {
        FsStatistics statistics = new FsStatistics();
        fileSystem.client().statfs(statistics);
        return statistics;
    }

    @Override
    public String name() {
        return fileSystem.clusterFile().toString();
    }

    @Override
    public String type() {
        return OctoUri.SCHEME;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public long getTotalSpace() throws IOException {
        FsStatistics statistics = statistics();
        return statistics.totalBlocks() * statistics.blockBytes();
    }

    @Override
    public long getUsableSpace() throws IOException {
        FsStatistics statistics = statistics();
        return statistics.freeBlocks() * statistics.blockBytes();
    }

    @Override
    public long getUnallocatedSpace() throws IOException {
        return getUsableSpace();
    }

    @Override
    public boolean supportsFileAttributeView(Class<? extends FileAttributeView> type) {
        return type == BasicFileAttributeView.class
                || type == PosixFileAttributeView.class
                || type == FileOwnerAttributeView.class;
    }

    @Override
    public boolean supportsFileAttributeView(String name) {
        return fileSystem.supportedFileAttributeViews().contains(name);
    }

    @Override
    public <V extends FileStoreAttributeView> V getFileStoreAttributeView(Class<V> type) {
        return null;
    }

    @Override
    public Object getAttribute(String attribute) throws IOException {
        return switch (attribute) {
            case "totalSpace" -> getTotalSpace();
            case "usableSpace" -> getUsableSpace();
            case "unallocatedSpace" -> getUnallocatedSpace();
            default -> throw new UnsupportedOperationException("a file store has no attribute " + attribute);
        };
    }
}
