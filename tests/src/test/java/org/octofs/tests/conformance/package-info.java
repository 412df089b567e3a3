/** POSIX rules, as the client library keeps them against real servers in this process. */
package org.octofs.tests.conformance;
