/**
 * Data of files, seen from the inode's home: which blocks a file has, and the one operation that changes that, COMMIT.
 *
 * <p>Read {@link org.octofs.server.data.BlockMapReader} and {@link org.octofs.server.data.CommitHandler} first. The bytes
 * themselves never come by: clients move them. Block maps are read straight from persistent memory; there is no copy of
 * them in DRAM. Threading: everything here belongs to the server's single worker.
 */
package org.octofs.server.data;
