package org.octofs.tests.crash;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.octofs.rpc.protocol.BlockEntryLayout;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.server.ops.ServerState;
import org.octofs.server.store.BlobStore;
import org.octofs.server.store.InodeRecord;

/**
 * Everything that a client could read of a quiet cluster: names, attributes, targets, extended attributes, and the checksum of each
 * block as it is in its node's pool. Checks on the way what no reader should ever meet.
 */
final class Picture {
    private static final int MAP_BLOCKS = 600;

    private final CrashWorld world;
    private final List<String> lines = new ArrayList<>();
    private final MessageBuffer map =
            new MessageBuffer(MemorySegment.ofArray(new byte[MAP_BLOCKS * BlockEntryLayout.SIZE_BYTES]));
    private final byte[] blob = new byte[BlobStore.BYTES_MAX];
    private final Set<Long> inodes = new HashSet<>();
    private long blockCount;

    private Picture(CrashWorld world) {
        this.world = world;
    }

    static Picture of(CrashWorld world) {
        Picture picture = new Picture(world);
        picture.draw("", InodeNumber.ROOT, InodeNumber.ROOT);
        return picture;
    }

    List<String> lines() {
        return lines;
    }

    /** Blocks of all files with a name. */
    long blockCount() {
        return blockCount;
    }

    /** Inodes with a name, the root among them. */
    int inodeCount() {
        return inodes.size();
    }

    static String line(
            String path, char type, int permissions, int nlink, long size, int target, int xattrs, String blocks) {
        return path + " " + type + " " + Integer.toOctalString(permissions) + " x" + nlink + " " + size + " "
                + Integer.toHexString(target) + " " + Integer.toHexString(xattrs) + blocks;
    }

    private void draw(String path, long ino, long parent) {
        ServerState state = world.server(world.home(ino)).state();
        InodeRecord inode = new InodeRecord();
        check(state.inodes().find(ino, inode), path + ": there is no inode " + ino);
        check(InodeLayout.isConsistent(inode.memory(), inode.base()), path + ": the inode's image is not whole");
        char type = type(inode.mode());
        boolean isNew = inodes.add(ino);
        lines.add(line(
                path.isEmpty() ? "/" : path,
                type,
                inode.mode() & FileMode.PERMISSIONS,
                inode.nlink(),
                type == 'd' ? 0 : inode.sizeBytes(),
                type == 'l' ? target(state, inode) : 0,
                inode.xattrRoot() == 0 ? 0 : Blocks.checksum(blob, state.blobs().read(inode.xattrRoot(), blob)),
                type == 'f' ? blocks(path, inode, isNew) : ""));
        if (type == 'd') {
            check(inode.parent() == parent, path + ": its parent is " + inode.parent());
            Map<String, Long> entries = entries(state, ino);
            check(inode.entryCount() == entries.size(), path + ": " + inode.entryCount() + " entries are counted");
            entries.forEach((name, child) -> draw(path + "/" + name, child, ino));
        }
    }

    private static Map<String, Long> entries(ServerState state, long directory) {
        Map<String, Long> entries = new TreeMap<>();
        for (int at = state.dentries().next(directory, 0);
                at >= 0;
                at = state.dentries().next(directory, at + 1)) {
            int reference = state.dentries().referenceAt(directory, at);
            byte[] name = new byte[state.dentries().nameLength(reference)];
            MemorySegment.copy(
                    state.store().memory(),
                    state.dentries().nameOffset(reference),
                    MemorySegment.ofArray(name),
                    0,
                    name.length);
            String text = ClusterFs.aliasOf(new String(name, StandardCharsets.UTF_8));
            check(entries.put(text, state.dentries().child(reference)) == null, text + " is there twice");
        }
        return entries;
    }

    private int target(ServerState state, InodeRecord inode) {
        if (inode.mapRoot() != 0) {
            return Blocks.checksum(blob, state.blobs().read(inode.mapRoot(), blob));
        }
        byte[] target = new byte[(int) inode.sizeBytes()];
        MemorySegment.copy(
                inode.memory(),
                ValueLayout.JAVA_BYTE,
                inode.base() + InodeLayout.INLINE_OFFSET,
                target,
                0,
                target.length);
        return Blocks.checksum(target);
    }

    private String blocks(String path, InodeRecord inode, boolean isNew) {
        StringBuilder text = new StringBuilder();
        int count = world.files(world.home(inode.ino())).reader().read(inode, 0, MAP_BLOCKS, map, 0);
        long found = 0;
        byte[] block = new byte[Blocks.BYTES];
        for (int i = 0; i < count; i++) {
            long location = map.getU64(i * BlockEntryLayout.SIZE_BYTES + BlockEntryLayout.LOCATION_OFFSET);
            if (location == BlockLocation.HOLE) {
                continue;
            }
            found++;
            if (BlockLocation.isUnwritten(location)) {
                text.append(' ').append(i).append(":zero");
                continue;
            }
            MemorySegment.copy(
                    world.medium(BlockLocation.node(location)).memory(),
                    ValueLayout.JAVA_BYTE,
                    BlockLocation.poolOffset(location),
                    block,
                    0,
                    block.length);
            int checksum = Blocks.checksum(block);
            int expected = (int) map.getU32(i * BlockEntryLayout.SIZE_BYTES + BlockEntryLayout.CHECKSUM_OFFSET);
            check(checksum == expected, path + ": block " + i + " is not what was committed");
            text.append(' ').append(i).append(':').append(Integer.toHexString(checksum));
        }
        check(found == inode.blocks(), path + ": " + inode.blocks() + " blocks are counted, " + found + " are there");
        blockCount += isNew ? found : 0;
        return text.toString();
    }

    private static char type(int mode) {
        return switch (FileMode.type(mode)) {
            case FileMode.DIRECTORY -> 'd';
            case FileMode.REGULAR -> 'f';
            case FileMode.SYMLINK -> 'l';
            case FileMode.FIFO -> 'p';
            default -> '?';
        };
    }

    static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
