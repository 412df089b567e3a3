/**
 * Which shard owns each segment of the data zone. One class, {@link org.octofs.pmem.segment.SegmentTable}; confined to the
 * pool's worker.
 */
package org.octofs.pmem.segment;
