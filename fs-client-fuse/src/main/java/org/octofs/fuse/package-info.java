/**
 * The mount: translates FUSE requests into calls of the client.
 *
 * <p>It must not know of the server's classes or of persistent memory.
 */
package org.octofs.fuse;
