package org.octofs.tests.crash;

/**
 * What a case does, by path; done to the cluster and to the model alike. A component {@code name@n} stands for a name that makes a
 * directory land on node {@code n}. Data is whole blocks; block {@code i} of a write with seed {@code s} holds {@link Blocks#of}.
 */
interface FsCalls {
    void create(String path);

    void mkdir(String path);

    void symlink(String path, String target);

    void mknod(String path);

    void link(String path, String newPath);

    /** Tries to link a directory, which is refused. */
    void linkRefused(String directory, String newPath);

    void unlink(String path);

    void rmdir(String path);

    void rename(String from, String to);

    void exchange(String one, String other);

    void chmod(String path, int permissions);

    /** The value is {@link Blocks#bytes}. */
    void setXattr(String path, String name, int valueBytes);

    void removeXattr(String path, String name);

    /** Sets a list of {@link Lists} as an extended attribute. */
    void setList(String path, String name, byte[] list);

    /** Makes an open file without a name in a directory, one at a time. */
    void createUnnamed(String directory);

    /** As {@link #write}, of the file without a name. */
    void writeUnnamed(long firstBlock, int blockCount, int seed);

    /** Gives the file without a name one. */
    void nameIt(String path);

    /** Reserves, pushes, persists and commits. */
    void write(String path, long firstBlock, int blockCount, int seed);

    /** Has nodes copy blocks that are there to the same place of another file of the same directory, and commits. */
    void copy(String from, String path, long firstBlock, int blockCount);

    /** Writes one block that is there and must not have changed since it was looked up. */
    void overwrite(String path, long block, int seed);

    /** As {@link #write}, at the end, which must not have moved. */
    void append(String path, int blockCount, int seed);

    /** Sets the size; blocks beyond it go. */
    void truncate(String path, long sizeBytes);

    /** Makes the file larger and changes nothing else. */
    void extend(String path, long sizeBytes);

    void punch(String path, long firstBlock, long blockCount);

    /** Makes blocks read as zeros where they are; the size stays. */
    void zero(String path, long firstBlock, int blockCount);

    /** Allocates blocks that read as zeros; the size stays. */
    void allocate(String path, long firstBlock, int blockCount);

    // What no reader can see.

    void open(String path);

    void close(String path);

    /** Borrows blocks and keeps them. */
    void reserve(String path, long firstBlock, int blockCount);

    /** Gives back everything that {@link #reserve} has borrowed. */
    void giveBack(String path);

    /** Everything there is to read of it. */
    void read(String path);

    /** Locks it. */
    void lock(String path);

    /** Tells all servers, as after their restart, that nothing is open or locked. */
    void reclaim();

    /** All servers start again, over everything that they have stored. */
    void restart();

    /** The client says goodbye to all nodes and comes back. */
    void goodbye();
}
