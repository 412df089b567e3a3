/**
 * The native side of DiSNI, whose jar brings none: an own {@link com.ibm.disni.verbs.RdmaProvider} over
 * {@link java.lang.foreign} on the distribution's librdmacm and libibverbs. Read {@link
 * org.octofs.rpc.fabric.verbs.provider.ForeignProvider} first.
 *
 * <p>Beyond DiSNI's own calls it has what its API lacks: memory windows, private data of connection events, inline and
 * variable-length lists of work requests. Threading: as libibverbs: everything may be called from any thread, but a stateful
 * call is confined to one at a time. Must not know: connections, regions and requests of the fabric.
 */
package org.octofs.rpc.fabric.verbs.provider;
