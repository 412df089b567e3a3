/**
 * Real server processes, real mounts, real programs and real kills; read {@link org.octofs.tests.system.SystemCluster} first.
 *
 * <p>The commands are those of the users, run from the jars that {@code mvn package} gathers. Where there is no FUSE device
 * the tests are skipped. Every class brings its clusters up and takes them down, and taking down checks that no process, no
 * mount and no pool is left. Its clusters' logs stay in {@code target/system-logs}.
 */
package org.octofs.tests.system;
