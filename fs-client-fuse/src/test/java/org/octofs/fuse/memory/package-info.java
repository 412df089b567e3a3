/**
 * A file system in memory behind {@link org.octofs.fuse.fuse.FuseOperations}: what bindings are tested with, and the measuring
 * stick for their own cost. Start with {@link org.octofs.fuse.memory.MemoryFileSystem}; {@code MemoryMount} mounts one by hand.
 */
package org.octofs.fuse.memory;
