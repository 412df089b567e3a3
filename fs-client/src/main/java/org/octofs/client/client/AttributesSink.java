package org.octofs.client.client;

import java.lang.foreign.MemorySegment;

/** Takes the entries of a directory with their attributes, see {@link FsClient#readDirectoryWithAttributes}. */
@FunctionalInterface
public interface AttributesSink {
    /**
     * One entry, as {@link DirectorySink} says.
     *
     * @param attributes of the entry, valid during the call; null if they did not come with the listing
     * @return false if there is no room for it
     */
    boolean entry(
            long ino,
            int type,
            MemorySegment names,
            long nameOffset,
            int nameLength,
            long nextCookie,
            Attributes attributes);
}
