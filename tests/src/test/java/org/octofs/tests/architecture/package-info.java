/**
 * Rules about the code itself: which way dependencies point, and where native libraries are seen.
 *
 * <p>Read {@link org.octofs.tests.architecture.ArchitectureTest} first.
 */
package org.octofs.tests.architecture;
