/**
 * The binding on libfuse 2, the library that jnr-fuse brings to Java; start with {@link org.octofs.fuse.jnr.JnrBinding}.
 *
 * <p>jnr-fuse finds and loads the library and describes the C structures of the platform. The requests come by the library's
 * low-level session, which has what jnr-fuse's path callbacks do not: inode numbers, names as bytes, unlinked open files,
 * answers from another thread, invalidation. The calls in both directions are bound with {@code java.lang.foreign}, where
 * they are some ten times cheaper. Threading: own Java threads read and serve requests; the library starts none.
 *
 * <p>No other package may see jnr-fuse. This one must not know the client library.
 */
package org.octofs.fuse.jnr;
