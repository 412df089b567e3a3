/**
 * System calls on files behind one interface, {@link org.octofs.tests.posix.Posix}: through the kernel, straight to the
 * client library, and on a model in memory; and {@link org.octofs.tests.posix.Script}, a language of one line per call, so
 * that the same program runs on all of them and what they answer can be compared.
 */
package org.octofs.tests.posix;
