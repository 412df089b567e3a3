/**
 * OctoFS for {@code java.nio.file}: {@code octofs:///path/to/cluster.properties!/dir/file}. Read
 * {@link org.octofs.client.nio.OctoFileSystemProvider} first.
 *
 * <p>Threading: everything is thread-safe, but for channels' positions, which have a lock. Names that are not UTF-8 keep
 * their bytes, see {@link org.octofs.client.nio.NameCodec}. Must not know how data is moved.
 */
package org.octofs.client.nio;
