/**
 * The commands {@code octofs format} and {@code octofs server}: options in, words for the user out.
 *
 * <p>Read {@link org.octofs.server.cli.ServerCommand} first. Nothing of the file system is decided here.
 */
package org.octofs.server.cli;
