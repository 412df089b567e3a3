/** Tests of the fabric; {@link org.octofs.rpc.fabric.FabricContract} is the suite that every transport has to pass. */
package org.octofs.rpc.fabric;
