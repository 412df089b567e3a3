/**
 * The wire: messages, fabrics, and calls over them.
 *
 * <p>It must not know of persistent memory.
 */
package org.octofs.rpc;
