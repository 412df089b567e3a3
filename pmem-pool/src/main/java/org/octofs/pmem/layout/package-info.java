/**
 * The on-media formats of the pool, each defined once: one class of offsets per structure. Start with
 * {@link org.octofs.pmem.layout.SuperblockLayout}, from which everything else is found. {@code docs/formats.md} shows the
 * same tables, and a test compares the two.
 */
package org.octofs.pmem.layout;
