/** Tests of the arrival ring. */
package org.octofs.rpc.fabric.ring;
