package org.octofs.rpc.fabric.handshake;

import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.host.ProcessIdentity;
import org.octofs.rpc.fabric.transport.RegionTable;

/**
 * What a transport gets from its fabric.
 *
 * @param config the fabric's configuration
 * @param regions the regions of this process
 * @param self this process
 * @param control the fabric's control thread
 */
public record TransportContext(FabricConfig config, RegionTable regions, ProcessIdentity self, ControlLoop control) {}
