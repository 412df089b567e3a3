/** What operations cost, counted, and the processor-bound parts, timed; start with {@link org.octofs.tests.bench.CostTableTest}. */
package org.octofs.tests.bench;
