/**
 * The real fabric: regions, queues and listeners of one process over every transport that
 * {@link java.util.ServiceLoader} finds. Read {@link org.octofs.rpc.fabric.network.NetworkFabric}. Threading: any. Must
 * not know: any transport in particular.
 */
package org.octofs.rpc.fabric.network;
