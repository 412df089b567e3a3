/**
 * One flyweight per message body. The layouts are the wire format. Not thread-safe; they allocate nothing but
 * copies of names.
 */
package org.octofs.rpc.protocol.message;
