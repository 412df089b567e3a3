/**
 * The pages of the METADATA zone: allocation of pages and slots, and the transactions that change them.
 *
 * <p>Read {@link org.octofs.server.store.MetaStore} first, then {@link org.octofs.server.store.MetaTransaction}. Everything
 * here is confined to the server's worker thread. It knows slots and pages, but not what a directory or a file is.
 *
 * <p>Invariants that everybody who writes to the pool has to keep:
 * <ul>
 *   <li>A word that ever changes through the redo log changes only through the redo log: recovery applies the log's records
 *       again, and would put an older value over one that was written around the log. Who has to write around it (another
 *       server's one-sided dispatch does) must hold a durable lock record that recovery resolves, and log the new content
 *       before that lock record goes away.
 *   <li>A page that nobody can reach yet may be written directly and flushed before the record that links it is appended
 *       (a fence comes between: the record's own fence would be too late, since a record counts as soon as all of its lines
 *       happen to be durable). {@link org.octofs.server.store.MetaStore} hands a freed page out again only
 *       after a checkpoint, so that no record in the log still names it.
 *   <li>What a transaction frees becomes allocatable only when the transaction is durable and visible.
 * </ul>
 */
package org.octofs.server.store;
