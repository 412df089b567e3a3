/**
 * The seam between a FUSE binding and the file system, and the adapter that serves the seam from the client library.
 *
 * <p>Read {@link org.octofs.fuse.fuse.FuseOperations} first: it is shaped like the kernel's low-level protocol (inode
 * numbers, handles, names as bytes, buffers by address), so that a binding that speaks the protocol itself loses nothing.
 * Threading: a binding calls the operations from many threads at once; every reply object belongs to the calling thread
 * and is used again for its next request. The package must not know any FUSE library.
 */
package org.octofs.fuse.fuse;
