/**
 * File data: one {@link org.octofs.client.data.FileState} per inode that is or was open here, shared by all its handles.
 * Read {@link org.octofs.client.data.FileReader}, {@link org.octofs.client.data.FileWriter} and
 * {@link org.octofs.client.data.Committer} next: a read fetches blocks from wherever they are and then checks that the
 * inode has not changed; a write pushes blocks into space lent by the home; a commit makes them part of the file.
 *
 * <p>Threading: each file has one lock, shared for reads, exclusive for what changes its state here. Lock order: file,
 * then loans, then caches. Must not know names.
 */
package org.octofs.client.data;
