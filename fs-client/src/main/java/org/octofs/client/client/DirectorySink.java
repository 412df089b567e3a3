package org.octofs.client.client;

import java.lang.foreign.MemorySegment;

/** Takes the entries of a directory, see {@link FsClient#readDirectory}. */
@FunctionalInterface
public interface DirectorySink {
    /**
     * One entry. "." and ".." are not delivered; {@link OpenDirectory} has their inode numbers.
     *
     * @param ino inode number of the entry
     * @param type file type, the S_IFMT bits of st_mode
     * @param names memory that holds the name, valid during the call
     * @param nameOffset where the name begins
     * @param nameLength bytes of the name
     * @param nextCookie what to pass to readDirectory to go on after this entry; at least 3
     * @return false if there is no room for it: the entry is then not taken, and no more are delivered
     */
    boolean entry(long ino, int type, MemorySegment names, long nameOffset, int nameLength, long nextCookie);
}
