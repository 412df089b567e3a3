/** The binding to the kernel beside libfuse in C, both before a region of memory: {@code tests/bench/binding}. Read BindingBench first. */
package org.octofs.fuse.bench;
