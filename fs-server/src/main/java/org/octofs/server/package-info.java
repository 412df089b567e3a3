/**
 * The server: file system semantics over a pool, offered on a fabric.
 *
 * <p>It must not know of the client or of FUSE.
 */
package org.octofs.server;
