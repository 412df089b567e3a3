/** Tests of the native side of the verbs transport. */
package org.octofs.rpc.fabric.verbs.provider;
