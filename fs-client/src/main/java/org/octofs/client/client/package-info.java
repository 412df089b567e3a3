/**
 * The whole file system as a library. Read {@link org.octofs.client.client.FsClient} first: it is the API, by inode
 * number; the classes beside it are its vocabulary and the operations on names and attributes. File data is moved in
 * {@code org.octofs.client.data}, servers are talked to in {@code org.octofs.client.link}.
 *
 * <p>Threading: everything public is thread-safe unless it says otherwise. Must not know FUSE, nor a server's classes.
 */
package org.octofs.client.client;
