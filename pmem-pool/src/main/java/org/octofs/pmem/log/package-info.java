/**
 * The redo log: updates to the pool that happen wholly or not at all. Read {@link org.octofs.pmem.log.RedoLog} first.
 *
 * <p>Threading: confined to the pool's one worker. It knows neither what the records mean nor who the shards are.
 */
package org.octofs.pmem.log;
