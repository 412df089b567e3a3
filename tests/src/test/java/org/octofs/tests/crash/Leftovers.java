package org.octofs.tests.crash;

/** What must not be left when the client is gone. */
final class Leftovers {
    private Leftovers() {}

    /** Lets the client's lease run out; then nothing is borrowed, open or in use but what files with names have. */
    static void check(CrashWorld world, Picture picture) {
        world.pass(CrashWorld.LEASE.multipliedBy(4));
        world.settle();
        long total = 0;
        long free = 0;
        long inodes = 0;
        for (int node = 0; node < world.nodeCount(); node++) {
            total += world.files(node).totalBlocks();
            free += world.files(node).freeBlocks();
            inodes += world.server(node).state().inodes().size();
            Picture.check(world.files(node).space().reservations().lentBlocks() == 0, "blocks are still lent");
            Picture.check(world.server(node).state().sessionTable().size() == 0, "a session is left");
        }
        Picture.check(
                total - free == picture.blockCount(),
                (total - free) + " blocks are in use, files have " + picture.blockCount());
        Picture.check(inodes == picture.inodeCount(), inodes + " inodes, with a name " + picture.inodeCount());
    }
}
