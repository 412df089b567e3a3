/**
 * Space: which 4 KiB blocks a shard may give away, and to whom it has lent some.
 *
 * <p>Read {@link org.octofs.server.space.ShardSpace} first. Two levels: a segment of a node's data zone is owned by a
 * shard, persistently, in the segment table of that node; inside its segments the shard's home allocates blocks in DRAM.
 * What is allocated is exactly what block maps and the reservation table reference, so there is no allocation state on
 * media that could disagree with them, and recovery rebuilds the bitmaps by reading them.
 *
 * <p>Threading: everything here belongs to the server's single worker. Must not know: the messages of clients, inodes.
 */
package org.octofs.server.space;
