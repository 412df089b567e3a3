/** Tests of the verbs transport; those that need a device carry the tag verbs and run in tests/vm. */
package org.octofs.rpc.fabric.verbs;
