/**
 * The operations: one class each, found by op code.
 *
 * <p>Read {@link org.octofs.server.ops.OperationHandler} and {@link org.octofs.server.ops.Dispatcher} first, then any
 * handler. A handler runs from beginning to end on the server's worker thread and blocks nowhere: it answers the request,
 * or throws {@link org.octofs.server.ops.OperationException} to have an errno answered, or asks for an object that a
 * transaction holds and is then run again later, or hands the request to somebody who answers it by and by. Permissions are
 * the client's business; here the members of a cluster are trusted.
 */
package org.octofs.server.ops;
