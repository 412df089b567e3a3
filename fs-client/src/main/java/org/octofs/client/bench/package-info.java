/**
 * Benchmarks of the command line; start with {@link org.octofs.client.bench.BenchCommand}. One caller, one thread.
 */
package org.octofs.client.bench;
