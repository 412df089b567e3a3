/** The contract suite on tcp, between fabrics of one process and between processes, and frames that cannot be. */
package org.octofs.rpc.fabric.tcp;
