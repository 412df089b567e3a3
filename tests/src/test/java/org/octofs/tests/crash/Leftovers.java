package org.octofs.tests.crash;

/** What must not be left when the client is gone. */
final class Leftovers {
    private static final int LEASES_MAX = 8;

    private Leftovers() {}

    /**
     * Lets the client's lease run out, and the time after which the homes ask each other for segments that they do not know of; then
     * nothing is borrowed, open or in use but what files with names have.
     */
    static void check(CrashWorld world, Picture picture) {
        String problem = "";
        for (int i = 0; i < LEASES_MAX; i++) {
            world.pass(CrashWorld.LEASE.multipliedBy(4));
            world.settle();
            problem = problem(world, picture);
            if (problem.isEmpty()) {
                return;
            }
        }
        throw new AssertionError(problem);
    }

    private static String problem(CrashWorld world, Picture picture) {
        long used = 0;
        long inodes = 0;
        for (int node = 0; node < world.nodeCount(); node++) {
            used += world.files(node).totalBlocks() - world.files(node).freeBlocks();
            inodes += world.server(node).state().inodes().size();
            if (world.files(node).space().reservations().lentBlocks() > 0) {
                return "blocks are still lent";
            }
            if (world.server(node).state().sessionTable().size() > 0) {
                return "a session is left";
            }
        }
        if (used != picture.blockCount()) {
            return used + " blocks are in use, files have " + picture.blockCount();
        }
        return inodes == picture.inodeCount() ? "" : inodes + " inodes, with a name " + picture.inodeCount();
    }
}
