/**
 * Inodes and dentries: how they lie in the pages of {@link org.octofs.server.store}, and how they are found.
 *
 * <p>Read {@link org.octofs.server.namespace.InodeTable} and {@link org.octofs.server.namespace.DentryTable} first. The
 * indexes are in DRAM and are rebuilt by recovery; what is compared and answered is read from the pool, so that an index
 * can be wrong about nothing but presence. Everything is confined to the server's worker thread. Must not know requests.
 */
package org.octofs.server.namespace;
