/**
 * Two mounts of one file system whose kernels keep names and attributes under leases: what one changes the other sees at its next call.
 * Servers, clients and mounts are in this process, so that everything can be counted.
 */
package org.octofs.tests.lease;
