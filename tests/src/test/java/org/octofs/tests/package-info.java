/**
 * Tests that need more than one module; nothing depends on them.
 */
package org.octofs.tests;
