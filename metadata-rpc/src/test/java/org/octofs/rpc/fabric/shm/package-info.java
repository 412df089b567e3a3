/** The contract suite on shm, between fabrics of one process and between processes. */
package org.octofs.rpc.fabric.shm;
