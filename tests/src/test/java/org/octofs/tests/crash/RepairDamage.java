package org.octofs.tests.crash;

import java.nio.charset.StandardCharsets;
import java.util.function.BiConsumer;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.server.namespace.DentryLayout;
import org.octofs.tests.fsck.Surgeon;

/** What is broken before a repair is crashed; see {@link RepairCrash}. */
enum RepairDamage {
    LINK_COUNT((pools, at) -> {
        Place file = at[Place.FILE];
        long slot = file.inode(pools);
        pools[file.home].putInt(slot + InodeLayout.NLINK_OFFSET, 5);
        pools[file.home].sealInode(slot);
    }),
    INODE_CHECKSUM((pools, at) -> {
        Place file = at[Place.FILE];
        pools[file.home].flip(file.inode(pools) + InodeLayout.UID_OFFSET);
    }),
    INODE_OVERWRITTEN((pools, at) -> {
        Place file = at[Place.FILE];
        pools[file.home].putLong(file.inode(pools) + InodeLayout.INO_OFFSET, -1);
    }),
    NAME_OF_NOTHING((pools, at) -> {
        Place file = at[Place.FILE];
        pools[file.home].putInt(file.inode(pools) + InodeLayout.MAGIC_OFFSET, 0);
    }),
    FILE_WITHOUT_NAME((pools, at) -> at[Place.FILE].removeName(pools)),
    DIRECTORY_WITHOUT_NAME((pools, at) -> at[Place.DIRECTORY].removeName(pools)),
    SECOND_NAME_OF_DIRECTORY((pools, at) -> {
        Place file = at[Place.FILE];
        Surgeon pool = pools[file.parentHome];
        long entry = pool.dentry(file.parent, file.name);
        pool.putLong(entry + DentryLayout.CHILD_OFFSET, at[Place.DIRECTORY].ino);
        pool.putInt(entry + DentryLayout.TYPE_OFFSET, 0x4000);
        pool.sealDentry(entry);
    }),
    BLOCK_OF_TWO_FILES((pools, at) -> {
        Place file = at[Place.FILE];
        Place other = at[Place.TREE];
        long taken = pools[other.home].getLong(pools[other.home].entry(other.ino, 8));
        pools[file.home].putLong(pools[file.home].entry(file.ino, 0), taken);
        pools[file.home].sealInode(file.inode(pools));
    }),
    SAME_BLOCK_TWICE((pools, at) -> {
        Place file = at[Place.FILE];
        Place other = at[Place.TREE];
        long from = pools[other.home].entry(other.ino, 8);
        long to = pools[file.home].entry(file.ino, 0);
        pools[file.home].putLong(to, pools[other.home].getLong(from));
        pools[file.home].putInt(to + 8, pools[other.home].getInt(from + 8));
        pools[file.home].sealInode(file.inode(pools));
    }),
    SEGMENT_OF_NOBODY((pools, at) -> {
        Place other = at[Place.TREE];
        long location = pools[other.home].getLong(pools[other.home].entry(other.ino, 8));
        Surgeon pool = pools[BlockLocation.node(location)];
        int segment = pool.pool().segmentTable().segmentIndexOf(BlockLocation.poolOffset(location));
        pool.putInt(pool.zone(ZoneKind.SEGMENT_TABLE).offset() + 8L * segment, 0);
    }),
    MAP_TO_NOWHERE((pools, at) -> {
        Place other = at[Place.TREE];
        long slot = other.inode(pools);
        long root = pools[other.home].getLong(slot + InodeLayout.MAP_ROOT_OFFSET);
        pools[other.home].putLong(root + 8, 12345);
    }),
    BLOCK_COUNT((pools, at) -> {
        Place other = at[Place.TREE];
        long slot = other.inode(pools);
        pools[other.home].putLong(slot + InodeLayout.BLOCKS_OFFSET, 99);
        pools[other.home].sealInode(slot);
    }),
    ATTRIBUTES((pools, at) -> {
        Place other = at[Place.TREE];
        long blob = pools[other.home].getLong(other.inode(pools) + InodeLayout.XATTR_ROOT_OFFSET);
        pools[other.home].flip(blob + 20);
    }),
    SEVERAL((pools, at) -> {
        BLOCK_OF_TWO_FILES.to(pools, at);
        BLOCK_COUNT.to(pools, at);
        ATTRIBUTES.to(pools, at);
        DIRECTORY_WITHOUT_NAME.to(pools, at);
        FILE_WITHOUT_NAME.to(pools, at);
    });

    static final int NODES = 2;

    @SuppressWarnings("ImmutableEnumChecker") // lambdas over constants
    private final BiConsumer<Surgeon[], Place[]> doing;

    RepairDamage(BiConsumer<Surgeon[], Place[]> doing) {
        this.doing = doing;
    }

    /** Breaks it. */
    void to(Surgeon[] pools, Place[] places) {
        doing.accept(pools, places);
    }

    /** Where one of the things is that get damaged: its number and name, and the nodes of it and its directory. */
    record Place(long ino, int home, long parent, int parentHome, String name) {
        static final int FILE = 0;
        static final int TREE = 1;
        static final int DIRECTORY = 2;

        long inode(Surgeon[] pools) {
            return pools[home].inode(ino);
        }

        void removeName(Surgeon[] pools) {
            Surgeon pool = pools[parentHome];
            pool.putLong(pool.dentry(parent, name), 0);
        }
    }

    private static final String[] PATHS = {"/h@0/f", "/h@1/g", "/h@0/d@1"};

    /** Files small and large, a directory elsewhere with something in it, a file with two names. */
    static void fill(FsCalls fs) {
        fs.mkdir("/h@0");
        fs.mkdir("/h@1");
        fs.create("/h@0/f");
        fs.write("/h@0/f", 0, 3, 1);
        fs.create("/h@1/g");
        fs.write("/h@1/g", 8, 2, 2);
        fs.write("/h@1/g", 300, 2, 3);
        fs.setXattr("/h@1/g", "user.k", 100);
        fs.mkdir("/h@0/d@1");
        fs.create("/h@0/d@1/x");
        fs.create("/h@0/two");
        fs.link("/h@0/two", "/h@1/two");
    }

    static Place[] places(ClusterFs fs, CrashWorld world) {
        Place[] places = new Place[PATHS.length];
        for (int i = 0; i < places.length; i++) {
            String path = PATHS[i];
            long ino = fs.find(path);
            long parent = fs.parent(path);
            String name = new String(fs.name(parent, path), StandardCharsets.UTF_8);
            places[i] = new Place(ino, world.home(ino), parent, world.home(parent), name);
        }
        return places;
    }
}
