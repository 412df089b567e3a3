/**
 * The client as a library: the whole file system without FUSE.
 *
 * <p>It must not know of the server's classes or of persistent memory.
 */
package org.octofs.client;
