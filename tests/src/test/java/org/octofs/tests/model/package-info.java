/**
 * What the file system should do: a sequential model of it, and a checker of concurrent histories against it. Read
 * {@link org.octofs.tests.model.HistoryChecker} first. Must not know: clusters, simulation.
 */
package org.octofs.tests.model;
