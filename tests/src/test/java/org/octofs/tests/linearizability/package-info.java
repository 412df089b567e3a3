/**
 * Histories of real client processes, checked for an order that explains them. Read
 * {@link org.octofs.tests.linearizability.TwoProcessesTest} first.
 */
package org.octofs.tests.linearizability;
