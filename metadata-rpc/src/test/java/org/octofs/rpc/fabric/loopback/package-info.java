/** The contract suite on the loopback fabric, and what only it can do: stepping. */
package org.octofs.rpc.fabric.loopback;
