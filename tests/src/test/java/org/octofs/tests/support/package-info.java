/** What the tests of whole clusters stand on: {@link org.octofs.tests.support.LocalCluster} first. */
package org.octofs.tests.support;
