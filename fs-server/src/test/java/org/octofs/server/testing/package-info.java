/** A whole server in one thread: memory that remembers what is durable, a network inside the process, a clock that tests move. */
package org.octofs.server.testing;
