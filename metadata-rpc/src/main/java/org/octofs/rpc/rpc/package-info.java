/**
 * The self-identified RPC: calls over one-sided writes whose 32-bit immediate tells the receiver where the message is.
 *
 * <p>Read {@link org.octofs.rpc.rpc.RpcClient} first (the calling side, any number of threads), then
 * {@link org.octofs.rpc.rpc.RpcServer} (the answering side, one worker thread). A request is written straight into its
 * caller's slot at the server and a reply straight into the same caller's slot at the client; nobody scans for messages.
 * Requests carry ids, and the server keeps the last reply of every slot, so that a request which is sent again after a
 * broken connection is executed once and answered twice.
 *
 * <p>Must not know: what the operations mean (an opcode is a number here), files, persistent memory.
 */
package org.octofs.rpc.rpc;
