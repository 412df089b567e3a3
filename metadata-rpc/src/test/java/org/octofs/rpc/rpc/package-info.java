/** Tests of calls: one contract for every transport, and what a single transport is enough for. */
package org.octofs.rpc.rpc;
