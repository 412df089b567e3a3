/**
 * {@code octofs fsck}: every kind of damage, made in pools that real operations have filled, is found and told in the right
 * words, and what can be mended is. Read {@link org.octofs.tests.fsck.FilledPools} first.
 */
package org.octofs.tests.fsck;
